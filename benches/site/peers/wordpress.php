<?php
// Installs WordPress for the benchmark of peers. Usage: php wordpress.php FOLDER SOCKET POSTS; prints the ids of the posts.
[, $folder, $socket, $posts] = $argv;
$database = new mysqli('localhost', 'root', '', '', 0, $socket);
$database->query('create database wordpress character set utf8mb4');
define('WP_INSTALLING', true);
$_SERVER['HTTP_HOST'] = 'localhost';
require "$folder/wp-load.php";
require "$folder/wp-admin/includes/upgrade.php";
wp_install('Blog', 'admin', 'admin@example.org', true, '', 'password');
for ($number = 1; $number <= (int) $posts; $number++) {
    echo wp_insert_post([
        'post_title' => "Post number $number",
        'post_content' => str_repeat('some words ', 250),
        'post_status' => 'publish',
        'comment_status' => 'closed',
    ]), "\n";
}
