package dev.fairlead.front.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.audit.AuditRecord;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.people.tenant.Tenant;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import java.util.List;
import java.util.TreeSet;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** An operator maps a namespace to the project of another tenant. */
class FrontCommandsTest {
  private final MemoryStores stores = MemoryStores.empty(1);
  private final TestWorld operators = TestWorld.in(stores);
  private final TestWorld owners = TestWorld.in(stores);
  private final Actor operator = new Actor(operators.tenant().id(), "olga", Role.OPERATOR);
  private final Actor owner = new Actor(owners.tenant().id(), "ada", Role.TENANT_OWNER);
  private final String cluster = operators.cluster().name();
  private final FrontCommands fronts =
      new FrontCommands(
          stores.transactions(),
          stores.fronts(),
          stores.inventory(),
          stores.tenants(),
          stores.audit(),
          stores.clock());

  @BeforeEach
  void aMappingToTheProjectOfAnotherTenant() {
    String tenant = stores.tenants().tenant(owner.tenant()).map(Tenant::name).orElseThrow();
    FrontCommands.View _ =
        fronts.put(operator, cluster, "team-a", tenant, owners.project().name(), false);
  }

  private List<String> audit(TenantId tenant) {
    return stores.auditEntries().stream()
        .filter(row -> row.actor().tenant().equals(tenant))
        .map(AuditRecord::operation)
        .toList();
  }

  private static Actor ownerOf(TenantId tenant, ProjectId project) {
    TreeSet<Role> roles = new TreeSet<>(List.of(Role.PROJECT_OWNER));
    return new Actor(tenant, "paul", roles, List.of(project), null, roles);
  }

  /** Fails when a tenant cannot see in its audit that its project was opened to a namespace. */
  @Test
  void aChangeForAnotherTenantIsInTheAuditOfBoth() {
    fronts.remove(operator, cluster, "team-a", false);

    assertThat(audit(operator.tenant()))
        .containsExactly("putFrontNamespace", "deleteFrontNamespace");
    assertThat(audit(owner.tenant())).containsExactly("putFrontNamespace", "deleteFrontNamespace");
  }

  /** Fails when owners do not see a mapping of their projects, or see those of others. */
  @Test
  void ownersSeeAndRemoveTheMappingsOfTheirProjects() {
    Actor ofProject = ownerOf(owner.tenant(), owners.project().id());
    Actor ofSibling = ownerOf(owner.tenant(), new ProjectId(new UUID(9, 9)));
    Actor foreign = new Actor(operators.tenant().id(), "fred", Role.TENANT_OWNER);

    assertThat(fronts.all(operator)).hasSize(1);
    assertThat(fronts.all(owner)).hasSize(1);
    assertThat(fronts.all(ofProject)).hasSize(1);
    for (Actor other : List.of(ofSibling, foreign)) {
      assertThat(fronts.all(other)).isEmpty();
      assertThatExceptionOfType(Refusal.class)
          .isThrownBy(() -> fronts.remove(other, cluster, "team-a", false))
          .satisfies(refusal -> assertThat(refusal.code()).isEqualTo(ProblemCode.NOT_FOUND));
    }

    fronts.remove(ofProject, cluster, "team-a", false);

    assertThat(fronts.all(operator)).isEmpty();
    assertThat(audit(owner.tenant())).containsExactly("putFrontNamespace", "deleteFrontNamespace");
  }
}
