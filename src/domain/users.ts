export type User = {
  readonly id: string;
  /** Trimmed and lower case. */
  readonly email: string;
  readonly name: string;
  readonly createdAt: number;
  readonly updatedAt: number;
};

export type UserStore = {
  find(userId: string): Promise<User | undefined>;
  findByEmail(email: string): Promise<(User & { readonly passwordHash: string }) | undefined>;
  /** Answers undefined when the e-mail is taken. */
  add(user: User & { readonly passwordHash: string }): Promise<User | undefined>;
};
