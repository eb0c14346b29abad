-- For the lists of the desk (`src/desk/`).

-- Words in the details of the log.
create index audit_log_words on audit_log using gin ((details::text) gin_trgm_ops);
