import { extname } from "node:path";
import type { FileStore } from "../../engine/ports.ts";
import { frameRateOf, toSeconds } from "../../engine/timeline/time.ts";
import { DomainError, invalid } from "../../errors.ts";
import { isMissing } from "../../platform/files.ts";
import { hashSecret, newSecret } from "../accounts/secrets.ts";
import { type ExportState, type ExportStore, requireDone, requireExportState } from "../exports/lifecycle/jobs.ts";
import { finishedVideos } from "../exports/lifecycle/view.ts";
import { outputFps } from "../exports/request/output.ts";
import { targetsOf, type VideoTarget } from "../exports/request/targets.ts";
import type { ExpiringFiles } from "../files/expired.ts";
import { removeOnFailure } from "../files/file-store.ts";
import type { StorageLimit } from "../files/storage.ts";
import { isId, newId } from "../shared/ids.ts";
import type { Page, PageRequest } from "../shared/paging.ts";
import type { AspectRatio } from "../shared/schemas.ts";
import type { Settings } from "../shared/settings.ts";
import { requireFound } from "../shared/versioned.ts";
import type { Work } from "../works/works.ts";

export const approvalStates = ["approved", "changes"] as const;

/** A reviewer's decision about a film. A later decision replaces it. */
export type Approval = {
  readonly state: (typeof approvalStates)[number];
  readonly author: string;
  readonly note?: string;
  readonly createdAt: number;
};

/** The rights of a link's holders, besides watching. */
const reviewRights = ["comment", "approve"] as const;
type Rights = { readonly [right in (typeof reviewRights)[number]]: boolean };

/** A link to one exported film for people without an account, until it ends. */
export type Review = Rights & {
  readonly id: string;
  readonly workId: string;
  /** The hash of its secret, which is shown once. */
  readonly hash: string;
  /** The export may have been removed since: the link has a copy of the video. */
  readonly exportId: string;
  readonly target: VideoTarget;
  readonly name: string;
  readonly width: number;
  readonly height: number;
  readonly fps: number;
  readonly durationSeconds: number;
  /** Absent if the link has ended and its file was removed. */
  readonly fileKey?: string;
  readonly sizeBytes: number;
  readonly approval?: Approval;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** The link whose secret also shows this video; absent for the first video of a link. */
  readonly linkId?: string;
};

export type ReviewComment = {
  readonly id: string;
  readonly workId: string;
  /** The link may have been revoked since: its comments stay with the work. */
  readonly reviewId: string;
  /** In seconds from the film's beginning. */
  readonly at: number;
  readonly text: string;
  readonly author: string;
  readonly resolved: boolean;
  readonly createdAt: number;
  /** The `createdAt` of the comment of this link that it answers: reviewers see no ids. */
  readonly replyTo?: number;
};

/** Ended links expire with their files; their records stay, with the approvals. */
export type ReviewStore = ExpiringFiles & {
  /** Adds the videos of a link, its first one first. False if the work was removed. Throws limit_reached. */
  add(videos: readonly Review[], limit: StorageLimit): Promise<boolean>;
  /** Lists the first videos of links, the newest first. */
  list(workId: string, page: PageRequest): Promise<Page<Review>>;
  /** Excludes works that their owner cannot reach any more. */
  findByHash(hash: string): Promise<Review | undefined>;
  /** Lists the other videos of a link, in the order of the export. */
  othersOf(reviewId: string): Promise<readonly Review[]>;
  approve(reviewId: string, approval: Approval): Promise<Review | undefined>;
  /** Returns the keys of its files; undefined if the work has no such link. */
  remove(workId: string, reviewId: string): Promise<readonly string[] | undefined>;
  /** Undefined if the link was removed. Throws limit_reached. */
  addComment(comment: ReviewComment): Promise<ReviewComment | undefined>;
  /** In the order of the film. */
  commentsOf(reviewId: string): Promise<readonly ReviewComment[]>;
  /** Lists the comments of all links of a work, the newest first. */
  listComments(workId: string, page: PageRequest): Promise<Page<ReviewComment>>;
  findComment(workId: string, commentId: string): Promise<ReviewComment | undefined>;
  resolveComment(workId: string, commentId: string, resolved: boolean): Promise<ReviewComment | undefined>;
  /** Also removes its replies. */
  removeComment(workId: string, commentId: string): Promise<boolean>;
};

const dayMs = 86_400_000;

type NewReview = Rights & {
  readonly exportId: string;
  readonly expiresInDays: number;
  readonly target?: AspectRatio | undefined;
  readonly targets?: readonly AspectRatio[] | undefined;
};

type ReviewPorts = { readonly reviews: ReviewStore; readonly files: FileStore };

type CreateReviewPorts = ReviewPorts & {
  readonly exports: ExportStore;
  readonly settings: Pick<Settings, "maxUserBytes">;
};

/**
 * Makes a link to a film of the work, in one or several of its formats. It copies the videos, so that the film stays
 * while the link lives. Throws not_found for an export of another work, not_ready before it is done, and limit_reached.
 */
export async function createReview(
  { reviews, files, exports, settings }: CreateReviewPorts,
  userId: string,
  work: Work,
  { exportId, expiresInDays, target, targets, ...rights }: NewReview,
): Promise<{ readonly review: Review; readonly others: readonly Review[]; readonly secret: string }> {
  const job = await requireExportState(exports, userId, exportId);
  if (job.workId !== work.id || job.projectId !== work.projectId) throw new DomainError("not_found", {});
  requireDone(job);
  const videos = targets ? targets.map((name, at) => videoOf(job, name, `targets.${at}`)) : [videoOf(job, target)];
  const secret = newSecret();
  const createdAt = Date.now();
  const reviewId = newId("review");
  const copies = videos.map((video, at): Review & { readonly fileKey: string } => ({
    ...{ id: at === 0 ? reviewId : newId("review"), workId: work.id, exportId, ...rights },
    // only the first one can be opened by a secret
    ...(at === 0 ? { hash: hashSecret(secret) } : { hash: hashSecret(newSecret()), linkId: reviewId }),
    ...{ name: job.name, target: video.target, width: video.width, height: video.height, ...lengthOf(job) },
    // the project's store finds the file by this folder
    fileKey: `${work.projectId}/${newId("media")}${extname(video.key)}`,
    ...{ sizeBytes: video.sizeBytes, createdAt, expiresAt: createdAt + expiresInDays * dayMs },
  }));
  const keys = copies.map(({ fileKey }) => fileKey);
  await removeOnFailure(files, keys, async () => {
    for (const [at, { key }] of videos.entries()) await copyVideo(files, key, keys[at]!); // safe because each has a copy
    return (await reviews.add(copies, { userId, maxBytes: settings.maxUserBytes })) || undefined;
  });
  const [review, ...others] = copies;
  return { review: review!, others, secret }; // safe because an export has a video
}

function videoOf(job: ExportState, target: AspectRatio | undefined, path = "target") {
  const videos = finishedVideos(job);
  const video = target === undefined ? videos[0] : videos.find((candidate) => candidate.target === target);
  if (video) return video;
  if (target === undefined) throw new DomainError("not_found", {});
  throw invalid(path, "Must be one of the export's targets.");
}

/** Copies the video, whose export may be removed at this moment. */
async function copyVideo(files: FileStore, key: string, newKey: string): Promise<void> {
  await files.copy(key, newKey).catch((error) => {
    throw isMissing(error) ? new DomainError("not_found", {}) : error;
  });
}

function lengthOf({ frames, request }: ExportState): Pick<Review, "fps" | "durationSeconds"> {
  const fps = outputFps(request);
  return { fps, durationSeconds: toSeconds(frames / targetsOf(request).length, frameRateOf(fps)) };
}

/** Throws not_found for a wrong or revoked secret, and link_expired after the end of its link. */
export async function requireReview({ reviews }: Pick<ReviewPorts, "reviews">, secret: string): Promise<Review> {
  const isSecret = /^[0-9a-f]{64}$/.test(secret);
  const review = requireFound(isSecret ? await reviews.findByHash(hashSecret(secret)) : undefined);
  if (review.expiresAt <= Date.now()) throw new DomainError("link_expired", {});
  return review;
}

/** Throws insufficient_scope without the right. */
export function requireRight(review: Review, right: keyof Rights): void {
  const granted = reviewRights.filter((name) => review[name]);
  if (!review[right]) throw new DomainError("insufficient_scope", { required: [right], granted });
}

/** Ends a link immediately, and removes its file. Its comments stay. Throws not_found. */
export async function revokeReview({ reviews, files }: ReviewPorts, workId: string, reviewId: string): Promise<void> {
  await files.remove(requireFound(isId("review", reviewId) ? await reviews.remove(workId, reviewId) : undefined));
}

/** The video of a link for a target; without one, its first. Throws not_found. */
export async function linkedVideo(
  { reviews }: Pick<ReviewPorts, "reviews">,
  review: Review,
  target: AspectRatio | undefined,
): Promise<Review> {
  if (target === undefined || target === review.target) return review;
  return requireFound((await reviews.othersOf(review.id)).find((other) => other.target === target));
}

type NewComment = Pick<ReviewComment, "text" | "author"> & {
  readonly at?: number | undefined;
  readonly replyTo?: number | undefined;
};

/** Throws limit_reached if the link accepts no more, and not_found if it was revoked meanwhile. */
export async function addComment(
  { reviews }: Pick<ReviewPorts, "reviews">,
  { id: reviewId, workId, durationSeconds }: Review,
  { at = 0, replyTo, ...said }: NewComment,
): Promise<ReviewComment> {
  if (at > durationSeconds) throw invalid("at", "Must be a time in the film.");
  const answered =
    replyTo === undefined
      ? undefined
      : (await reviews.commentsOf(reviewId)).find(({ createdAt }) => createdAt === replyTo);
  if (replyTo !== undefined && !answered) throw invalid("replyTo", "Must be the createdAt of a comment of this link.");
  const added = { id: newId("comment"), workId, reviewId, at, ...said, resolved: false, createdAt: Date.now() };
  return requireFound(await reviews.addComment(answered ? { ...added, ...answering(answered) } : added));
}

/** A reply belongs to the first comment of its thread. */
const answering = ({ at, createdAt, replyTo }: ReviewComment) => ({ at, replyTo: replyTo ?? createdAt });

/** Adds a reply of the work's owner. Throws not_found for an unknown comment or one whose link was revoked. */
export async function replyToComment(
  { reviews }: Pick<ReviewPorts, "reviews">,
  answered: ReviewComment,
  said: Pick<ReviewComment, "text" | "author">,
): Promise<ReviewComment> {
  const { workId, reviewId } = answered;
  const added = { id: newId("comment"), workId, reviewId, ...said, resolved: false, createdAt: Date.now() };
  return requireFound(await reviews.addComment({ ...added, ...answering(answered) }));
}

/** Stores a decision. Throws not_found if the link was revoked meanwhile. */
export async function decide(
  { reviews }: Pick<ReviewPorts, "reviews">,
  { id }: Review,
  approval: Omit<Approval, "createdAt">,
): Promise<Approval> {
  const decided = { ...approval, createdAt: Date.now() };
  requireFound(await reviews.approve(id, decided));
  return decided;
}
