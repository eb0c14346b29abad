-- For the lists of the desk (`src/desk/`).

-- Words in the details of the log.
create index audit_log_words on audit_log using gin ((details::text) gin_trgm_ops);

-- Sessions and paused pairs, the latest first.
create index sessions_new on sessions (created_at desc);
create index zombie_pauses_new on zombie_pauses (paused_at desc, user_id desc) where paused_at is not null and unpaused_at is null;
