import { createHmac } from "node:crypto";
import { create as contentDisposition } from "content-disposition";
import { z } from "zod";
import { DeliveryError, type Sender, type Sending } from "../../domain/destinations/deliveries.ts";
import { shownUrl } from "../../domain/destinations/destinations.ts";
import { keyOfSecret } from "../../domain/exports/webhooks/signature.ts";
import type { Fetcher } from "../../domain/files/fetcher.ts";
import { retryAfter, sendRequest, shortened } from "./answers.ts";

const Settings = z.object({ url: z.string(), method: z.enum(["POST", "PUT"]).default("POST") });
const Secrets = z.object({ headers: z.record(z.string(), z.string()).default({}), secret: z.string().optional() });

/**
 * Sends the file as the body of one request. All attempts have the same webhook-id and Idempotency-Key, so that a
 * receiver that got it before an interruption can discard the repetition.
 */
export const webhookUploadSender = (fetcher: Pick<Fetcher, "send">): Sender => ({
  plan({ settings, file: { mimeType, sizeBytes } }) {
    const { method } = Settings.parse(settings);
    const url = shownUrl(Settings.parse(settings).url);
    const names = settings.headerNames;
    const signedBy = ["webhook-signature", ...(Array.isArray(names) ? names.map(String) : [])];
    return { requests: [{ method, url, contentType: mimeType, bytes: sizeBytes, signedBy }], result: { url } };
  },

  async send(sending) {
    const { url, method } = Settings.parse(sending.settings);
    const { headers: own, secret } = Secrets.parse(sending.secrets);
    const { file, delivery, signal, save } = sending;
    const sha256 = await file.sha256();
    const headers = {
      ...own,
      "content-type": file.mimeType,
      "content-length": `${file.sizeBytes}`,
      "content-disposition": contentDisposition(file.name),
      "content-digest": `sha-256=:${Buffer.from(sha256, "hex").toString("base64")}:`,
      "idempotency-key": delivery.id,
      "x-reelwright-export": delivery.exportId,
      ...(delivery.target !== "" && { "x-reelwright-target": delivery.target }),
      ...(await signed(sending, secret)),
    };
    const body = await file.read(0, file.sizeBytes);
    const answer = await sendRequest(fetcher, url, { method, headers, body }, { signal, bytes: file.sizeBytes });
    const { status } = answer;
    if (status >= 200 && status < 300) {
      await save({ ...delivery.progress, sentBytes: file.sizeBytes });
      const location = answer.headers.get("location");
      const at = location && URL.canParse(location, url) ? new URL(location, url).href : url;
      return { url: shownUrl(at), status };
    }
    const said = shortened(answer.text);
    const message = `The receiver answered ${status}${said && `: ${said}`}`;
    throw new DeliveryError({ code: `http_${status}`, status, message }, retryAfter(answer));
  },
});

/** As a webhook's headers; the signed content is the id, the time and the bytes of the file. */
async function signed({ delivery, file }: Sending, secret: string | undefined): Promise<Record<string, string>> {
  const { id } = delivery;
  const timestamp = `${Math.floor(Date.now() / 1000)}`;
  const headers = { "webhook-id": id, "webhook-timestamp": timestamp };
  if (secret === undefined) return headers;
  const signature = createHmac("sha256", keyOfSecret(secret)).update(`${id}.${timestamp}.`);
  for await (const chunk of await file.read(0, file.sizeBytes)) signature.update(chunk);
  return { ...headers, "webhook-signature": `v1,${signature.digest("base64")}` };
}
