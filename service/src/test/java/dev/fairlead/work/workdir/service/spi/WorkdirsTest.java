package dev.fairlead.work.workdir.service.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.fleet.limit.Limit;
import dev.fairlead.fleet.limit.LimitBook;
import dev.fairlead.fleet.limit.SetLimits;
import dev.fairlead.kernel.identity.Sha256;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.work.log.memory.MemoryChunkStore;
import dev.fairlead.work.spec.WorkdirSpec;
import dev.fairlead.work.workdir.Workdir;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Uploads that fail midway, and their remains. */
class WorkdirsTest {
  /** Two pieces. */
  private static final String CODE = "x".repeat(Workdir.PIECE + 1);

  private static final WorkdirSpec SPEC = new WorkdirSpec("sha256:" + Sha256.hex(CODE));

  private final MemoryStores stores = MemoryStores.empty(1);
  private final TestWorld world = TestWorld.in(stores);
  private final Actor ana = new Actor(world.tenant().id(), "ana", Role.TENANT_MEMBER);
  private final MemoryChunkStore chunks = new MemoryChunkStore();
  private final Workdirs workdirs =
      new Workdirs(
          stores.transactions(),
          stores.workdirs(),
          chunks,
          stores.tenants(),
          () -> new LimitBook(stores.configs().all(SetLimits.DOCUMENTS), 0),
          stores.audit(),
          stores.ids(),
          stores.clock());

  private Workdir put(InputStream body) {
    return workdirs.put(ana, world.project().name(), SPEC.digest(), CODE.length(), body, false);
  }

  private static InputStream body(String text) {
    return new ByteArrayInputStream(text.getBytes(StandardCharsets.US_ASCII));
  }

  private void refused(InputStream body, ProblemCode code) {
    assertThatThrownBy(() -> put(body))
        .isInstanceOfSatisfying(
            Refusal.class, refusal -> assertThat(refusal.code()).isEqualTo(code));
    assertThat(stores.workdirs().find(ana.tenant(), world.project().id(), SPEC.digest())).isEmpty();
  }

  private byte[] opened() throws IOException {
    try (InputStream bytes =
        workdirs.open(ana.tenant(), world.project().id(), SPEC, "job").bytes()) {
      return bytes.readAllBytes();
    }
  }

  /** Fails when the pieces are joined in another order, or one is lost. */
  @Test
  void archiveRoundTrips() throws IOException {
    put(body(CODE));
    assertThat(opened()).asString(StandardCharsets.US_ASCII).isEqualTo(CODE);
  }

  /** Fails when a failed upload still uses space or can be read in part. */
  @Test
  void interruptedUploadLeavesNoVisibleArchive() throws IOException {
    world.limit(world.project(), Map.of(Limit.WORKDIR_MIB, 5L));
    refused(body(CODE.substring(1)), ProblemCode.MALFORMED_BODY);
    refused(body("y" + CODE.substring(1)), ProblemCode.INVALID_FIELD);
    chunks.fails("the disk is full");
    refused(body(CODE), ProblemCode.UNAVAILABLE);
    chunks.fails(null);

    put(body(CODE));

    assertThat(opened()).hasSize(CODE.length());
  }

  /** Fails when a member starts to read an incomplete archive. */
  @Test
  void archiveWithMissingPiecesDoesNotExist() throws IOException {
    Workdir stored = put(body(CODE));
    chunks.remove(stored.pieces().subList(1, 2));
    assertThatThrownBy(this::opened)
        .isInstanceOfSatisfying(
            Refusal.class, refusal -> assertThat(refusal.code()).isEqualTo(ProblemCode.NOT_FOUND));
  }
}
