package dev.fairlead.people.tenant;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The API token that a principal acts by. What is made with it ends with it.
 *
 * @param token the value of its id
 * @param tenant where the token was made; an administrator uses it in others too
 * @param cluster the value of the id of the one cluster that it reports for, null for none such
 */
public record Credential(UUID token, TenantId tenant, Instant expiresAt, @Nullable UUID cluster) {}
