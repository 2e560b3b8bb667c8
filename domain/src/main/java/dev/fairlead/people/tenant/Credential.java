package dev.fairlead.people.tenant;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The API token that a principal uses. Tokens created with it expire with it.
 *
 * @param token the value of its id
 * @param tenant where the token was created. An administrator uses it in other tenants too.
 * @param cluster the value of the id of the only cluster that it reports for, null if none
 */
public record Credential(UUID token, TenantId tenant, Instant expiresAt, @Nullable UUID cluster) {}
