package dev.fairlead.security;

/**
 * Who came in; an administrator of the tenant {@code default}, since people and roles do not exist
 * yet.
 */
record Caller(String name) {}
