CREATE TABLE "secret_fingerprints" (
	"fingerprint" text PRIMARY KEY NOT NULL,
	"used_at" bigint NOT NULL
);
