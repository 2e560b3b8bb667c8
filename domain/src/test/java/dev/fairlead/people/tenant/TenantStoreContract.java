package dev.fairlead.people.tenant;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.transaction.Conflict.Guard;
import dev.fairlead.kernel.transaction.Refused;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.TestWorld;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Lookups and tenant isolation of every {@link TenantStore}. */
public abstract class TenantStoreContract {
  private Stores stores;
  private TestWorld world;

  protected abstract Stores stores();

  @BeforeEach
  void aWorldOfItsOwn() {
    stores = stores();
    world = TestWorld.in(stores);
  }

  @Test
  void aTenantIsFoundByIdAndName() {
    assertThat(stores.tenants().tenant(world.tenant().id())).contains(world.tenant());
    assertThat(stores.tenants().tenantNamed(world.tenant().name())).contains(world.tenant());
    assertThat(stores.tenants().tenantNamed(world.uniqueName("nobody"))).isEmpty();
  }

  @Test
  void tenantIsReplacedOnlyInTheVersionThatWasReadAndIsListed() {
    Tenant changed = world.tenant().renamed("Acme Corporation").in(Tenant.State.ARCHIVING);
    Refused.by(Guard.VERSION, () -> stores.tenants().update(changed));

    Tenant renamed = world.tenant().renamed("Acme Corporation");
    stores.tenants().update(renamed);

    assertThat(stores.tenants().tenant(renamed.id())).contains(renamed);
    assertThat(stores.tenants().tenants()).contains(renamed).doesNotContain(world.tenant());
    stores.tenants().update(changed);
    assertThat(stores.tenants().tenantNamed(renamed.name())).contains(changed);
  }

  @Test
  void tenantNameIsUnique() {
    Tenant second =
        new Tenant(
            new TenantId(stores.ids().next()), world.tenant().name(), "", Tenant.State.ACTIVE, 1);

    Refused.by(Guard.NAME_TAKEN, () -> stores.tenants().insert(second));
  }

  @Test
  void aProjectIsFoundByIdAndName() {
    assertThat(stores.tenants().project(world.tenant().id(), world.project().id()))
        .contains(world.project());
    assertThat(stores.tenants().projectNamed(world.tenant().id(), "project"))
        .contains(world.project());
  }

  @Test
  void aProjectOfAnotherTenantIsNotFound() {
    TestWorld other = TestWorld.in(stores);

    assertThat(stores.tenants().project(other.tenant().id(), world.project().id())).isEmpty();
    assertThat(stores.tenants().projectNamed(other.tenant().id(), "project"))
        .contains(other.project());
  }

  @Test
  void projectsAreListedByName() {
    Project beta = world.newProject("beta");
    Project alpha = world.newProject("alpha");
    stores.tenants().insert(beta);
    stores.tenants().insert(alpha);

    assertThat(stores.tenants().projects(world.tenant().id()))
        .containsExactly(alpha, beta, world.project());
    assertThat(stores.tenants().projects(world.tenant().id(), List.of(beta.id())))
        .containsExactly(beta);
    assertThat(stores.tenants().projects(world.tenant().id(), List.of())).isEmpty();
    assertThat(stores.tenants().projects(TestWorld.in(stores).tenant().id(), List.of(beta.id())))
        .isEmpty();
  }

  @Test
  void projectIsReplacedOnlyInTheVersionThatWasRead() {
    Project old = world.project();
    Project changed = old.with(world.queue().id().value(), Egress.OPEN);
    stores.tenants().update(changed);

    assertThat(stores.tenants().projectNamed(old.tenant(), old.name())).contains(changed);
    Refused.by(Guard.VERSION, () -> stores.tenants().update(changed));
  }

  /** Fails when a range is lost, or a strict project is applied to clusters like any other. */
  @Test
  void strictProjectsAreListedWithTheirEgress() {
    UUID queue = world.queue().id().value();
    Project open = world.project();
    Project strict = open.with(queue, Egress.strict(List.of("10.0.0.0/8", "2001:db8::/32")));
    assertThat(stores.tenants().strictProjects()).doesNotContain(open);
    stores.tenants().update(strict);
    assertThat(stores.tenants().strictProjects()).contains(strict);
    assertThat(stores.tenants().project(open.tenant(), open.id())).contains(strict);

    Project dnsAlone = strict.with(queue, Egress.strict(List.of()));
    stores.tenants().update(dnsAlone);
    assertThat(stores.tenants().strictProjects()).contains(dnsAlone).doesNotContain(strict);
    stores.tenants().update(dnsAlone.with(queue, Egress.OPEN));
    assertThat(stores.tenants().strictProjects())
        .noneMatch(project -> project.id().equals(open.id()));
  }

  @Test
  void aProjectWithoutJobsCanBeDeleted() {
    Project empty = world.newProject("empty");
    stores.tenants().insert(empty);
    world.submit(Specs.job("keeps-its-project"));

    stores.tenants().delete(empty);

    assertThat(stores.tenants().projectNamed(empty.tenant(), "empty")).isEmpty();
    Refused.by(Guard.REFERENCED, () -> stores.tenants().delete(world.project()));
    Refused.by(Guard.REFERENCED, () -> stores.tenants().delete(empty));
  }

  @Test
  void projectNameIsUniqueInItsTenant() {
    Refused.by(Guard.NAME_TAKEN, () -> stores.tenants().insert(world.newProject("project")));
  }
}
