-- Settings that the owner changes in the browser. Table: `site_settings`.

-- Table `site_settings`: one row for each setting that differs from its default. An environment variable of the same name takes
-- precedence.
create table site_settings (
    -- `site_settings.name`: name of the environment variable, such as `SITE_NAME`.
    name text primary key,
    -- `site_settings.value`: value as in the environment variable.
    value text not null
);
