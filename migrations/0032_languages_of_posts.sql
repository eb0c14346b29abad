-- What a post is in, as BCP 47 has it: what its author has chosen (own_language), or else what was found in its words
-- when it was rendered. Null where neither is known.
alter table blog_posts
    add column own_language text,
    add column language text,
    add constraint post_language_length check (
        coalesce(char_length(own_language) <= 35, true) and coalesce(char_length(language) <= 35, true)
    ) not valid;
