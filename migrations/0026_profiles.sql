-- What people say of themselves.
alter table users
    add column display_name text,
    -- Markdown.
    add column about text,
    add column link text,
    -- As the IANA database names it, such as Europe/Berlin.
    add column time_zone text,
    add constraint profile_length check (
        coalesce(char_length(display_name) between 1 and 50, true) and coalesce(char_length(about) <= 2000, true)
            and coalesce(char_length(link) <= 500, true) and coalesce(char_length(time_zone) <= 60, true)
    ) not valid;
