package dev.fairlead.people.audit.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.care.health.FaultScope;
import dev.fairlead.care.health.HealthRule;
import dev.fairlead.care.health.Xid;
import dev.fairlead.care.health.XidTable;
import dev.fairlead.care.health.service.HealthTable;
import dev.fairlead.fleet.cluster.service.PoolSpec;
import dev.fairlead.fleet.cluster.service.PoolView;
import dev.fairlead.fleet.licence.Licence;
import dev.fairlead.fleet.licence.service.LicenceView;
import dev.fairlead.fleet.limit.Limit;
import dev.fairlead.fleet.limit.service.LimitsView;
import dev.fairlead.fleet.node.Spares;
import dev.fairlead.fleet.node.pool.PoolSelector;
import dev.fairlead.fleet.node.window.Cron;
import dev.fairlead.fleet.node.window.PoolWindows;
import dev.fairlead.fleet.node.window.RecurringWindow;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.people.audit.ConfigVersion;
import dev.fairlead.people.project.service.Projects;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Cause;
import dev.fairlead.people.tenant.Egress;
import dev.fairlead.people.tenant.IdlePolicy;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.Tenant;
import java.time.Duration;
import java.time.ZoneId;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Reverts of configuration changes. */
class ConfigCommandsTest extends ConfigCommandsScene {

  @Test
  void queueIsReverted() {
    QuotaNode first = queue();
    long version = weighs(7);

    Actor why = admin.because(new Cause("a mistake", null));
    ConfigVersion made = reverts.revert(why, version, false, false);

    QuotaNode now = queue();
    assertThat(now.weight()).isEqualTo(first.weight());
    assertThat(now.usageHalfLife()).isEqualTo(first.usageHalfLife());
    assertThat(now.version()).isEqualTo(first.version() + 2);
    assertThat(made.version()).isEqualTo(newest());
    assertThat(made.operation()).isEqualTo("updateQuota");
    assertThat(made.cause()).isEqualTo(new Cause("a mistake", version));
    long back = made.version();
    ConfigVersion again = reverts.revert(admin, back, false, false);
    assertThat(again.cause().reverts()).isEqualTo(back);
    assertThat(queue().weight()).isEqualTo(7);
  }

  @Test
  void dryRunChangesNothing() {
    long version = weighs(7);

    ConfigVersion tried = reverts.revert(admin, version, false, true);

    assertThat(tried.cause().reverts()).isEqualTo(version);
    assertThat(queue().weight()).isEqualTo(7);
    assertThat(newest()).isEqualTo(version);
  }

  @Test
  void limitsAreReverted() {
    for (@Nullable String project : Arrays.asList(null, world.project().name())) {
      LimitsView before = limits.view(admin, project);
      LimitsView _ =
          limits.update(admin, project, new TreeMap<>(Map.of(Limit.ACTIVE_JOBS, 5L)), null, false);

      ConfigVersion _ = reverts.revert(admin, newest(), false, false);

      assertThat(limits.view(admin, project).effective()).isEqualTo(before.effective());
    }
  }

  @Test
  void poolIsReverted() {
    PoolSelector gpus =
        new PoolSelector(List.of(), List.of("H100"), new TreeMap<>(Map.of("room", "2")), List.of());
    PoolWindows nights =
        new PoolWindows(
            List.of(
                new RecurringWindow(
                    Cron.parse("0 22 * * *"), Duration.ofHours(8), ZoneId.of("Europe/Berlin"))),
            Duration.ZERO,
            PoolWindows.NONE.leftoverPolicy(),
            Duration.ZERO);
    PoolSpec spec =
        new PoolSpec("night", world.tenant().name(), gpus, "", new Spares(1, 8), nights);
    PoolView made = poolCommands.create(admin, spec, null, false);
    PoolView changed =
        poolCommands.update(
            admin,
            "night",
            new PoolSpec("night", null, gpus, "open", Spares.NONE, PoolWindows.NONE),
            made.pool().version(),
            false);

    ConfigVersion _ = reverts.revert(admin, newest(), false, false);

    assertThat(pools.named(admin, "night").pool())
        .isEqualTo(changed.pool().with(world.tenant().id(), gpus, "", new Spares(1, 8), nights));
  }

  @Test
  void licenceProjectAndTenantAreReverted() {
    LicenceView _ = licences.put(admin, new Licence("ansys", 3), false);
    LicenceView _ = licences.put(admin, new Licence("ansys", 5), false);
    ConfigVersion _ = reverts.revert(admin, newest(), false, false);
    assertThat(licences.all(admin).getFirst().count()).isEqualTo(3);

    String name = world.project().name();
    Project was = projects.named(admin, name);
    Egress other = Egress.strict(List.of("10.0.0.0/8"));
    IdlePolicy idle =
        new IdlePolicy(5, Duration.ofMinutes(30), null, new TreeMap<>(Map.of("keep", "yes")));
    Projects.Change change =
        new Projects.Change(null, other, new Projects.Change.Idle(idle), "CC-1");
    Project _ = projects.update(admin, name, change, null, false);
    ConfigVersion back = reverts.revert(admin, newest(), false, false);
    assertThat(projects.named(admin, name).egress()).isEqualTo(was.egress());
    assertThat(projects.named(admin, name).idle()).isNull();
    assertThat(projects.named(admin, name).costCentre()).isNull();
    ConfigVersion _ = reverts.revert(admin, back.version(), false, false);
    assertThat(projects.named(admin, name).egress()).isEqualTo(other);
    assertThat(projects.named(admin, name).idle()).isEqualTo(idle);
    assertThat(projects.named(admin, name).costCentre()).isEqualTo("CC-1");

    Tenant _ = tenants.update(admin, "Research", null, false);
    ConfigVersion _ = reverts.revert(admin, newest(), false, false);
    assertThat(tenants.current(admin).displayName()).isEqualTo(world.tenant().displayName());
  }

  /** Fails when a fault rule is not reverted, or the shipped rule is stored as a change. */
  @Test
  void faultRuleIsReverted() {
    Xid shipped = XidTable.SHIPPED.find(31).orElseThrow();
    HealthTable.Row _ =
        table.update(admin, shipped.isolating(FaultScope.GPU, true), null, false, false);
    assertThat(stores.health().table().find(31)).isNotEqualTo(Optional.of(shipped));

    ConfigVersion _ = reverts.revert(admin, newest(), false, false);

    assertThat(stores.health().rules()).singleElement().matches(HealthRule::shipped);
    assertThat(stores.health().table().find(31)).contains(shipped);
  }
}
