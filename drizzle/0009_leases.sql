CREATE TABLE "leases" (
	"name" text PRIMARY KEY NOT NULL,
	"holder_id" text NOT NULL,
	"leased_until" bigint NOT NULL
);
