package dev.fairlead.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.tenant.Project;
import dev.fairlead.tenant.ProjectId;
import dev.fairlead.transaction.Conflict;
import dev.fairlead.world.Stores;
import dev.fairlead.world.TestWorld;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every {@link LimitStore} keeps. */
public abstract class LimitStoreContract {
  private Stores stores;
  private TestWorld world;

  protected abstract Stores stores();

  @BeforeEach
  void aWorldOfItsOwn() {
    stores = stores();
    world = TestWorld.in(stores);
  }

  private SetLimits put(@Nullable ProjectId project, Map<Limit, Long> values) {
    return stores
        .transactions()
        .call(() -> {
          SetLimits next =
              stores.limits().of(world.tenant().id(), project).with(new TreeMap<>(values));
          stores.limits().put(next);
          return next;
        });
  }

  private List<LimitStore.Named> all() {
    return stores.transactions().read(stores.limits()::all).stream()
        .filter(named -> named.limits().tenant().equals(world.tenant().id()))
        .toList();
  }

  @Test
  void whatWasSetReplacesWhatWasThere() {
    put(null, Map.of(Limit.ACTIVE_JOBS, 5_000L, Limit.PROJECTS, 3L));
    SetLimits last =
        put(
            null,
            Map.of(
                Limit.SPEC_BYTES,
                2_048L,
                Limit.REQUESTS_PER_MINUTE,
                7L,
                Limit.ARRAY_ELEMENTS,
                9L,
                Limit.DECISION_DAYS,
                90L,
                Limit.MAX_RUNTIME,
                60L));

    assertThat(last.version()).isEqualTo(2);
    assertThat(all()).containsExactly(new LimitStore.Named(last, null));
  }

  @Test
  void aProjectHasLimitsOfItsOwnUntilItIsDeleted() {
    Project project = world.newProject("limited");
    stores.transactions().run(() -> stores.tenants().insert(project));
    SetLimits own = put(project.id(), Map.of(Limit.ACTIVE_JOBS, 10L));
    assertThat(all()).containsExactly(new LimitStore.Named(own, project.name()));

    stores.transactions().run(() -> stores.tenants().delete(project));

    assertThat(all()).isEmpty();
  }

  /** Fails when a change of limits overwrites one that its writer has not seen. */
  @Test
  void aChangeOfWhatWasChangedMeanwhileIsRefused() {
    SetLimits first = put(null, Map.of(Limit.ACTIVE_JOBS, 10L));
    put(null, Map.of(Limit.ACTIVE_JOBS, 20L));

    for (SetLimits stale : List.of(first, first.with(new TreeMap<>()))) {
      assertThatThrownBy(() -> stores.transactions().run(() -> stores.limits().put(stale)))
          .isInstanceOfSatisfying(
              Conflict.class, c -> assertThat(c.guard()).isEqualTo(Conflict.Guard.VERSION));
    }
  }
}
