package dev.fairlead.people.cloudidentity.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.fairlead.people.cloudidentity.CloudIdentity;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Egress;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import java.util.Collections;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class CloudIdentitiesTest {
  private final MemoryStores stores = MemoryStores.empty(1);
  private final TestWorld world = TestWorld.in(stores);
  private final Actor owner = new Actor(world.tenant().id(), "olga", Role.TENANT_OWNER);
  private final CloudIdentities identities =
      new CloudIdentities(
          stores.transactions(), stores.configs(), stores.tenants(), stores.audit());

  private void stored(String name, String... projects) {
    CloudIdentity identity = new CloudIdentity(name, List.of(projects), new TreeMap<>(), "vault");
    CloudIdentityView _ = identities.put(owner, identity, null, false);
  }

  /** Fails when a member of one project reads the cloud accounts of another. */
  @Test
  void projectMemberSeesOnlyTheIdentitiesOfItsProjects() {
    Project secret =
        new Project(
            new ProjectId(stores.ids().next()),
            owner.tenant(),
            "secret",
            "fairlead-secret",
            world.queue().id().value(),
            Egress.OPEN,
            null,
            null,
            1);
    stores.transactions().run(() -> stores.tenants().insert(secret));
    String own = world.project().name();
    stored("shared", own, "secret");
    stored("theirs", "secret");
    stored("unused");
    Actor member =
        new Actor(
            owner.tenant(),
            "ana",
            new TreeSet<>(List.of(Role.PROJECT_MEMBER)),
            List.of(world.project().id()),
            null,
            Collections.emptySortedSet());

    assertThat(identities.all(member, null))
        .extracting(CloudIdentityView::name, CloudIdentityView::projects)
        .containsExactly(tuple("shared", List.of(own)));
    assertThat(identities.all(owner, null)).hasSize(3);
  }
}
