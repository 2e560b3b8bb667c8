package dev.fairlead.people.token.service;

import dev.fairlead.people.token.ApiToken;
import org.jspecify.annotations.Nullable;

/**
 * A token as its owner reads it.
 *
 * @param project name of its project, null for a token of the tenant or the platform
 */
public record TokenView(ApiToken token, @Nullable String project) {}
