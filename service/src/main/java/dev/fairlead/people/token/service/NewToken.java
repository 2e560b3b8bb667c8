package dev.fairlead.people.token.service;

import dev.fairlead.people.tenant.Role;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A token that somebody asks for.
 *
 * @param name what its owner calls it
 * @param principal who its bearer is; null for who asks
 * @param project name of the project where the role counts; null for other roles
 * @param cluster id or name of the cluster that a monitor reports for; null for other roles
 * @param lifetime until it expires
 */
public record NewToken(
    String name,
    @Nullable String principal,
    Role role,
    @Nullable String project,
    @Nullable String cluster,
    Duration lifetime) {}
