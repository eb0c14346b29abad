-- What somebody wants to read, as BCP 47 has it; null for what their browser asks for.
alter table users
    add column language text,
    add constraint language_length check (char_length(language) between 1 and 35) not valid;
