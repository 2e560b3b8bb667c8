package dev.fairlead.people.tenant.postgres;

import dev.fairlead.kernel.postgres.Json;
import dev.fairlead.people.tenant.Egress;
import dev.fairlead.people.tenant.IdlePolicy;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.ProjectBuilder;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Read model of a row of {@code project}.
 *
 * @param idlePolicy JSON document, null if none
 * @param strictEgress CIDRs separated by blanks, null for open egress
 */
record ProjectRow(
    UUID id,
    UUID tenant,
    String name,
    String namespace,
    UUID defaultQueue,
    @Nullable String strictEgress,
    @Nullable String idlePolicy,
    @Nullable String costCentre,
    long version) {
  Project project() {
    return ProjectBuilder.builder()
        .id(new ProjectId(id))
        .tenant(new TenantId(tenant))
        .name(name)
        .namespace(namespace)
        .defaultQueue(defaultQueue)
        .egress(egress(strictEgress))
        .idle(Json.readOrNull(idlePolicy, IdlePolicy.class))
        .costCentre(costCentre)
        .version(version)
        .build();
  }

  private static Egress egress(@Nullable String cidrs) {
    if (cidrs == null) {
      return Egress.OPEN;
    }
    return Egress.strict(cidrs.isEmpty() ? List.of() : Arrays.asList(cidrs.split("[ ]")));
  }

  static @Nullable String text(@Nullable IdlePolicy policy) {
    return policy == null ? null : Json.write(policy);
  }

  static @Nullable String text(Egress egress) {
    return egress.strict() ? String.join(" ", egress.cidrs()) : null;
  }
}
