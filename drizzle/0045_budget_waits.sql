ALTER TABLE "films" ADD COLUMN "budget_wait" json;--> statement-breakpoint
-- Nobody knows what holds those that wait already: they look once more.
UPDATE "films" SET "budget_wait" = '{"scope":"user","amount":0}' WHERE "status" = 'waiting' AND "waiting_for" = 'budget';
