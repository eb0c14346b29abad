-- Images, each once: its name has the hash of its content.
create table images (
    id bigint generated always as identity primary key,
    name text not null unique,
    -- Of all of its files.
    bytes bigint not null,
    created_at timestamptz not null,
    -- Since when nothing shows it; null where something does. After a day it is deleted.
    unused_since timestamptz
);
create index images_unused_since_idx on images (unused_since) where unused_since is not null;

-- Who has sent an image. Each time it counts in their quota.
create table image_owners (
    id bigint generated always as identity primary key,
    user_id bigint not null references users on delete cascade,
    image_id bigint not null references images on delete cascade,
    -- What it shows, for those who do not see it.
    alt text not null,
    added_at timestamptz not null,
    constraint image_owners_user_id_image_id_key unique (user_id, image_id)
);
create index image_owners_image_id_idx on image_owners (image_id);

-- What shows an image that whoever wrote it has sent: a post, or what somebody says of themselves. Others may show it as
-- well, as long as it is there; that keeps it from nobody who wants to delete it.
create table image_uses (
    image_id bigint not null references images,
    owner_id bigint not null references users,
    post_id bigint references blog_posts on delete cascade,
    user_id bigint references users on delete cascade,
    constraint one_place check (num_nonnulls(post_id, user_id) = 1)
);
create unique index image_uses_post_id_image_id_key on image_uses (post_id, image_id) where post_id is not null;
create unique index image_uses_user_id_image_id_key on image_uses (user_id, image_id) where user_id is not null;
create index image_uses_image_id_idx on image_uses (image_id);

-- The picture of an account.
alter table users add column avatar text;
