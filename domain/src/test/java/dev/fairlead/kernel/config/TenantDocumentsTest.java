package dev.fairlead.kernel.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.audit.ConfigKind;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Documents of a tenant that two requests change. */
class TenantDocumentsTest {
  private static final ConfigType<Sample> SAMPLES = new ConfigType<>(ConfigKind.POOL, Sample.class);

  private final MemoryStores stores = MemoryStores.empty(1);
  private final Actor actor =
      new Actor(TestWorld.in(stores).tenant().id(), "mia", Role.TENANT_OWNER);
  private final TenantDocuments<Sample> samples =
      new TenantDocuments<>(
          new TenantDocuments.Kind<>(SAMPLES, Sample::name, "Sample", "samples", 2),
          stores.transactions(),
          stores.configs(),
          stores.audit());

  /** A document with an id, for an object with its own rows. */
  private record Sample(String name, int id) {}

  /**
   * Fails when a request stores its new id over the document of another request, while the rows of
   * the object have the id of the other request.
   */
  @Test
  void newDocumentDoesNotReplaceAConcurrentOne() {
    ConfigDocument<Sample> stored = put(null, 1);

    assertThatThrownBy(() -> put(null, 2))
        .isInstanceOfSatisfying(
            Refusal.class, e -> assertThat(e.code()).isEqualTo(ProblemCode.VERSION_MISMATCH))
        .hasMessageContaining("Sample \"a\"");
    assertThat(samples.find(actor, "a")).contains(stored);
  }

  /** Fails when the value of a document that was read earlier replaces a later one. */
  @Test
  void staleDocumentUpdateDoesNotReplaceALaterOne() {
    ConfigDocument<Sample> first = put(null, 1);
    ConfigDocument<Sample> second = put(first, 2);

    assertThatThrownBy(() -> put(first, 3)).isInstanceOf(Refusal.class);
    assertThat(samples.find(actor, "a")).contains(second);
  }

  private ConfigDocument<Sample> put(@Nullable ConfigDocument<Sample> read, int id) {
    return samples.change(
        "a",
        false,
        () ->
            samples.put(
                actor,
                "putSample",
                read,
                new ConfigDocument<>(SAMPLES, "a", actor.tenant(), null, new Sample("a", id), 0),
                null,
                new TreeMap<>()));
  }
}
