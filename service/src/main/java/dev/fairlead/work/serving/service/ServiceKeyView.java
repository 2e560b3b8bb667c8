package dev.fairlead.work.serving.service;

import dev.fairlead.work.serving.key.ServiceKey;
import io.soabase.recordbuilder.core.RecordBuilder;
import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** An API key of a model service without its text, as the API returns it. */
@RecordBuilder
@Schema(name = "ServiceKeyResponse")
public record ServiceKeyView(
    @Schema(description = "Name of the key, unique within the service") String name,
    @Schema(description = "Name of the service") String service,
    @Schema(description = "VALID, EXPIRED or REVOKED") State state,
    @Schema(
            description =
                "Requests that are admitted in a calendar minute, or null if there is no limit")
        @Nullable Integer requestsPerMinute,
    @Schema(
            description =
                "Prompt and completion tokens in a calendar minute after which requests are"
                    + " refused, or null if there is no limit")
        @Nullable Integer tokensPerMinute,
    @Schema(description = "Name of the user or service account that created it") String createdBy,
    @Schema(description = "Time when it was created") Instant createdAt,
    @Schema(description = "Time when it expires") Instant expiresAt,
    @Schema(description = "Time when it was revoked, or null") @Nullable Instant revokedAt,
    @Schema(
            description =
                "End of its last request that reached a replica, or null before the first")
        @Nullable Instant lastUsedAt) {
  /** Whether requests with the key are admitted. */
  public enum State {
    VALID,
    EXPIRED,
    REVOKED
  }

  static ServiceKeyView of(String service, ServiceKey key, Instant now) {
    State state =
        key.validAt(now) ? State.VALID : key.revokedAt() == null ? State.EXPIRED : State.REVOKED;
    return ServiceKeyViewBuilder.builder()
        .name(key.key().name())
        .service(service)
        .state(state)
        .requestsPerMinute(key.requestsPerMinute())
        .tokensPerMinute(key.tokensPerMinute())
        .createdBy(key.createdBy())
        .createdAt(key.createdAt())
        .expiresAt(key.expiresAt())
        .revokedAt(key.revokedAt())
        .lastUsedAt(key.lastUsedAt())
        .build();
  }
}
