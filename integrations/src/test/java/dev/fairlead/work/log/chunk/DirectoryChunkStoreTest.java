package dev.fairlead.work.log.chunk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.work.log.ChunkKey;
import dev.fairlead.work.log.ChunkStore;
import dev.fairlead.work.log.ChunkStoreContract;
import dev.fairlead.work.log.ForeignLogStore;
import dev.fairlead.work.log.LogChunk;
import dev.fairlead.work.log.LogPosition;
import dev.fairlead.work.log.LogStore;
import dev.fairlead.work.log.MemberLog;
import dev.fairlead.work.log.StoreClaim;
import dev.fairlead.work.world.memory.MemoryStores;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DirectoryChunkStoreTest extends ChunkStoreContract {
  @TempDir Path directory;
  private Path root = Path.of("");

  @Override
  protected DirectoryChunkStore store() {
    try {
      root = Files.createTempDirectory(directory, "logs");
      return owned(MemoryStores.empty(1), "first");
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The database with these stores wrote the nonce into the claim last. */
  private DirectoryChunkStore owned(MemoryStores of, String nonce) throws IOException {
    DirectoryChunkStore store = store(of);
    of.logs().addNonce(nonce);
    store.claim(store.claim().with(nonce));
    return store;
  }

  private DirectoryChunkStore store(MemoryStores of) {
    return new DirectoryChunkStore(
        root, new PlaceOwner(new DirectoryPlace(root), of.leases(), of.logs()));
  }

  /** Fails when a database with other rows removes chunks that its index does not have. */
  @Test
  void otherInstallationDeletesNoChunks() throws IOException {
    store().put(key(1), new byte[1]);
    Files.writeString(root.resolve("installation"), "another 1");
    DirectoryChunkStore other = store(MemoryStores.empty(2));

    for (ThrowingCallable use : uses(other)) {
      assertThatThrownBy(use)
          .hasMessageContaining("names \"another 1\"")
          .satisfies(refused -> says(refused, "FAIRLEAD_LOGS_DIRECTORY"));
    }
    assertThat(root.resolve(key(1).path())).exists();
  }

  /**
   * Fails when the next step concerns the disk: space or permissions do not repair a wrong path.
   */
  private static void says(Throwable refused, String next) {
    assertThat(refused)
        .isInstanceOfSatisfying(
            ForeignLogStore.class, foreign -> assertThat(foreign.next()).contains(next));
  }

  private static List<ThrowingCallable> uses(ChunkStore store) {
    return List.of(
        () -> store.put(key(2), new byte[1]),
        () -> store.remove(List.of(key(1))),
        () -> store.old(Instant.MAX, null, 5),
        store::probe);
  }

  /** Fails when chunks are written below a missing mount, or are reported as lost. */
  @Test
  void unmountedDirectoryAcceptsNothing() throws IOException {
    MemoryStores stores = MemoryStores.empty(1);
    store().put(key(1), new byte[1]);
    LogChunk part = new LogChunk(1, -1, Instant.EPOCH, Instant.EPOCH, 1, 30, 20, null);
    MemberLog log = MemberLog.begin(key(1).of()).with(LogPosition.START, part, 0);
    stores.logs().write(List.of(new LogStore.Step(log, part, 0, 20)));
    root = Files.createDirectory(directory.resolve("mountpoint"));
    DirectoryChunkStore store = store(stores);

    for (ThrowingCallable use : uses(store)) {
      assertThatThrownBy(use)
          .hasMessageContaining("is the directory mounted?")
          .satisfies(refused -> says(refused, "mount the intended one"));
    }
    assertThatThrownBy(() -> store.open(key(3)))
        .isNotInstanceOf(NoSuchFileException.class)
        .hasMessageContaining("is the directory mounted?");
  }

  /** Fails when an older copy of the database continues while the restored database is in use. */
  @Test
  void databaseDeclaredLiveTakesTheDirectoryOver() throws IOException {
    MemoryStores restored = MemoryStores.empty(1);
    DirectoryChunkStore older = store();
    older.put(key(1), new byte[1]);
    restored.leases().raiseIncarnation(restored.leases().incarnation());

    store(restored).put(key(2), new byte[1]);

    assertThatThrownBy(() -> older.put(key(3), new byte[1]))
        .hasMessageContaining("older state")
        .satisfies(refused -> says(refused, "docs/how-to/restore.md"));
  }

  /** Fails when label and incarnation alone decide: a copy of the database has the same. */
  @Test
  void copyOfTheDatabaseDeletesNoChunks() throws IOException {
    root = Files.createDirectory(directory.resolve("shared"));
    MemoryStores original = MemoryStores.empty(1);
    MemoryStores copy = MemoryStores.empty(1);
    copy.logs().addNonce("first");
    owned(original, "first").put(key(1), new byte[1]);
    owned(original, "second");

    assertThatThrownBy(() -> store(copy).remove(List.of(key(1))))
        .hasMessageContaining("another database")
        .satisfies(refused -> says(refused, "Stop the copy"));
    assertThatThrownBy(() -> store(copy).old(Instant.MAX, null, 5))
        .isInstanceOf(ForeignLogStore.class);
    store(copy).put(key(2), new byte[1]);
    assertThat(store(original).old(Instant.MAX, null, 5).chunks()).containsExactly(key(1), key(2));

    store(copy).claim(store(copy).claim().with(StoreClaim.CONTESTED));
    assertThatThrownBy(() -> store(original).remove(List.of(key(1))))
        .hasMessageContaining("is contested");
    assertThat(root.resolve(key(1).path())).exists();
  }

  /** Fails when the sweep enters a foreign directory and does not continue. */
  @Test
  void otherDirectoriesAreUnchanged() throws IOException {
    DirectoryChunkStore store = store();
    ChunkKey chunk = key(1);
    store.put(chunk, new byte[1]);
    Path other = Files.createDirectory(root.resolve("lost+found"));
    Path left = Files.createFile(other.resolve(UUID.randomUUID() + ".new"));
    Path closed = Files.createDirectory(root.resolve(new UUID(0, 1).toString()));
    Files.setPosixFilePermissions(closed, Set.of());

    assertThat(store.old(Instant.MAX, null, 5).chunks()).containsExactly(chunk);
    assertThat(left).exists();
  }

  /** Fails when the umask of the process determines who reads logs. */
  @Test
  void chunksAreUnreadableForOtherUsers() throws IOException {
    DirectoryChunkStore store = store();
    store.put(key(1), new byte[1]);

    Path place = root.resolve(key(1).path());
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(place)))
        .isEqualTo("rw-------");
    for (Path up = place.getParent(); !up.equals(root); up = up.getParent()) {
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(up)))
          .isEqualTo("rwx------");
    }
  }
}
