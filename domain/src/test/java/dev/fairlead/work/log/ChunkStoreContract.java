package dev.fairlead.work.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.member.MemberKey;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.NoSuchFileException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

public abstract class ChunkStoreContract {
  /** An empty store whose chunks are old immediately. */
  protected abstract ChunkStore store();

  protected static ChunkKey key(int sequence) {
    return key(1, "worker", sequence);
  }

  private static ChunkKey key(int job, String role, int sequence) {
    LogMember of =
        new LogMember(
            new TenantId(new UUID(1, 1)),
            new ProjectId(new UUID(1, 2)),
            new JobId(new UUID(2, job)),
            new AttemptId(new UUID(3, job)),
            new MemberKey(role, 0, 0));
    return new ChunkKey(of, sequence, -sequence);
  }

  private static byte[] read(ChunkStore store, ChunkKey key) throws IOException {
    try (InputStream chunk = store.open(key)) {
      return chunk.readAllBytes();
    }
  }

  @Test
  void chunkIsReadAsStoredUntilItsRemoval() throws IOException {
    ChunkStore store = store();
    ChunkKey key = key(1, "worker", 1);
    store.put(key, new byte[] {1, 2, 0, -1});

    assertThat(read(store, key)).containsExactly(1, 2, 0, -1);
    store.remove(List.of(key));
    store.remove(List.of(key));
    assertThatThrownBy(() -> read(store, key)).isInstanceOf(NoSuchFileException.class);
  }

  /**
   * Fails when a missing chunk prevents the removal of the other chunks, or when other chunks are
   * removed too.
   */
  @Test
  void manyChunksAreRemovedInOneCall() throws IOException {
    ChunkStore store = store();
    for (int sequence = 1; sequence <= 3; sequence++) {
      store.put(key(sequence), new byte[1]);
    }
    store.remove(List.of(key(1), key(4), key(3)));
    store.remove(List.of());

    assertThat(store.old(Instant.MAX, null, 5).chunks()).containsExactly(key(2));
  }

  @Test
  void allChunksAreFoundPartByPartInTheOrderOfTheirPaths() throws IOException {
    ChunkStore store = store();
    List<ChunkKey> put = new ArrayList<>();
    for (int job = 1; job <= 3; job++) {
      for (String role : List.of("a", "a-b", "b")) {
        for (int sequence = 1; sequence <= 2; sequence++) {
          put.add(key(job, role, sequence));
          store.put(put.getLast(), new byte[1]);
        }
      }
    }
    List<ChunkKey> found = new ArrayList<>();
    ChunkStore.Part part = store.old(Instant.MAX, null, 5);
    found.addAll(part.chunks());
    while (part.next() != null) {
      part = store.old(Instant.MAX, part.next(), 5);
      assertThat(part.chunks()).hasSizeLessThanOrEqualTo(5);
      found.addAll(part.chunks());
    }
    assertThat(found).containsExactlyInAnyOrderElementsOf(put);
  }

  /** Fails when a name is used as a path. */
  @Test
  void namesCannotEscapeTheStore() {
    for (String role : List.of("../../etc", "/etc", "a/b", "A", "", ".", "a\0b")) {
      ChunkKey key = key(1, role, 1);
      assertThatThrownBy(() -> store().put(key, new byte[1]))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void probeLeavesNoObject() throws IOException {
    ChunkStore store = store();
    store.probe();
    assertThat(store.old(Instant.MAX, null, 5).chunks()).isEmpty();
  }
}
