/** The number of a system call on x64 and on arm64; undefined where it does not exist. */
type Call = readonly [x64: number | undefined, arm64: number | undefined];

/** Newer system calls have one number everywhere. */
const everywhere = (number: number): Call => [number, number];

const socket: Call = [41, 198];

/** io_uring opens sockets, too. Bun works without it. */
const ioUring: readonly Call[] = [425, 426, 427].map(everywhere);

/** Changes of read-only files. No version of Landlock protects their modes, owners, attributes and times. */
const fileAttributes: readonly Call[] = [
  [90, undefined], // chmod
  [91, 52], // fchmod
  [268, 53], // fchmodat
  everywhere(452), // fchmodat2
  [92, undefined], // chown
  [93, 55], // fchown
  [94, undefined], // lchown
  [260, 54], // fchownat
  [188, 5], // setxattr
  [189, 6], // lsetxattr
  [190, 7], // fsetxattr
  [197, 14], // removexattr
  [198, 15], // lremovexattr
  [199, 16], // fremovexattr
  everywhere(463), // setxattrat
  everywhere(466), // removexattrat
  everywhere(469), // file_setattr
  [132, undefined], // utime
  [235, undefined], // utimes
  [261, undefined], // futimesat
  [280, 88], // utimensat
];

/** System V and POSIX objects of the user's other processes. */
const sharedObjects: readonly Call[] = [
  [29, 194], // shmget
  [68, 186], // msgget
  [64, 190], // semget
  [240, 180], // mq_open
];

/** Calls whose first argument is a process; 0 stands for the caller. */
const processSettings: readonly Call[] = [
  [302, 261], // prlimit64
  [203, 122], // sched_setaffinity
  [144, 119], // sched_setscheduler
  [142, 118], // sched_setparam
  [314, 274], // sched_setattr
];

/** Calls whose first argument is a process. */
const signals: readonly Call[] = [
  [62, 129], // kill
  [234, 131], // tgkill
  [129, 138], // rt_sigqueueinfo
  [297, 240], // rt_tgsigqueueinfo
];
const signalsToThreads: readonly Call[] = [[200, 130], everywhere(424)]; // tkill, pidfd_send_signal

const fcntl: Call = [72, 25];
const ioctl: Call = [16, 29];
/** Values of the second argument that choose the process that the kernel signals when a file is ready. */
const ownerCommands = { fcntl: [8, 15], ioctl: [0x8901, 0x8902] };

const truncate: Call = [76, 45];
const open: Call = [2, undefined];
const openat: Call = [257, 56];
const openat2 = everywhere(437);
/** The flags of open: truncation without the right to write. */
const truncation = { mask: 0o1003, value: 0o1000 };

const architectures = { x64: 0xc000003e, arm64: 0xc00000b7 } as const;
const firstX32Call = 0x40000000;

const code = { load: 0x20, and: 0x54, ifEqual: 0x15, ifAtLeast: 0x35, answer: 0x06 };
const allowed = 0x7fff0000;
const kill = 0x80000000;
const error = (number: number) => 0x00050000 | number;
const refused = error(1);
/** Programs then fall back to the older system call. */
const unknown = error(38);

/** A jump skips `yes` or `no` instructions. */
type Instruction = readonly [code: number, value: number | null, yes?: number, no?: number];

const argument = (index: number): Instruction => [code.load, 16 + 8 * index];
const answer = (value: number): Instruction => [code.answer, value];

/** The reaction to system calls, once their number has been recognized. */
type Rule = readonly [calls: readonly Call[], then: readonly Instruction[]];

const refuse: readonly Instruction[] = [answer(refused)];

const refuseUnless = (index: number, values: readonly (number | null)[]): readonly Instruction[] => [
  argument(index),
  ...values.map((value, at): Instruction => [code.ifEqual, value, values.length - at, 0]),
  answer(refused),
  answer(allowed),
];

const refuseIf = (index: number, values: readonly number[]): readonly Instruction[] => [
  argument(index),
  ...values.map((value, at): Instruction => [code.ifEqual, value, values.length - at, 0]),
  answer(allowed),
  answer(refused),
];

const refuseTruncation = (index: number): readonly Instruction[] => [
  argument(index),
  [code.and, truncation.mask],
  [code.ifEqual, truncation.value, 0, 1],
  answer(refused),
  answer(allowed),
];

const always: readonly Rule[] = [
  [[socket, ...fileAttributes, ...sharedObjects], refuse],
  [ioUring, [answer(unknown)]],
  [processSettings, refuseUnless(0, [0, null])],
];

/** Rights that Landlock leaves open before the version that restricts truncation and signals. */
const beforeTruncation: readonly Rule[] = [
  [[truncate], refuse],
  [[open], refuseTruncation(1)],
  [[openat], refuseTruncation(2)],
  [[openat2], [answer(unknown)]],
];
const beforeSignals: readonly Rule[] = [
  [signals, refuseUnless(0, [null])],
  [signalsToThreads, refuse],
  [[fcntl], refuseIf(1, ownerCommands.fcntl)],
  [[ioctl], refuseIf(1, ownerCommands.ioctl)],
];

/**
 * A seccomp filter that refuses what a version of Landlock leaves open, two words per instruction; null stands for the
 * the id of the process. Empty for other architectures.
 */
export function systemCallFilter(landlock: number): readonly (number | null)[] {
  const architecture: string = process.arch;
  if (architecture !== "x64" && architecture !== "arm64") return [];
  const rules = [...always, ...(landlock < 3 ? beforeTruncation : []), ...(landlock < 6 ? beforeSignals : [])];
  const column = architecture === "x64" ? 0 : 1;
  const ruled = rules.flatMap(([calls, then]) =>
    calls.flatMap((call): readonly Instruction[] => {
      const number = call[column];
      return number === undefined ? [] : [[code.ifEqual, number, 0, then.length], ...then];
    }),
  );
  const program: readonly Instruction[] = [
    [code.load, 4],
    [code.ifEqual, architectures[architecture], 1, 0],
    answer(kill),
    [code.load, 0],
    [code.ifAtLeast, firstX32Call, 0, 1],
    answer(refused),
    ...ruled,
    answer(allowed),
  ];
  return program.flatMap(([operation, value, yes = 0, no = 0]) => [operation | (yes << 16) | (no << 24), value]);
}
