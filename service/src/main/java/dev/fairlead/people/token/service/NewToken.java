package dev.fairlead.people.token.service;

import dev.fairlead.people.tenant.Role;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A requested token.
 *
 * @param name given by its owner
 * @param principal principal of its bearer, null for the caller
 * @param project name of the project of the role, null for other roles
 * @param cluster id or name of the cluster that a monitor reports for, null for other roles
 * @param lifetime until it expires
 */
public record NewToken(
    String name,
    @Nullable String principal,
    Role role,
    @Nullable String project,
    @Nullable String cluster,
    Duration lifetime) {}
