package dev.fairlead.people.security;

/**
 * The way in which an administrator was authenticated: over loopback, or with the bootstrap token.
 */
record Caller(String name) {}
