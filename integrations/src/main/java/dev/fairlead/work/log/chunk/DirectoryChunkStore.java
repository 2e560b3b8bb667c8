package dev.fairlead.work.log.chunk;

import dev.fairlead.work.log.ChunkKey;
import dev.fairlead.work.log.ChunkStore;
import dev.fairlead.work.log.StoreClaim;
import dev.fairlead.work.log.StoreKey;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * {@link ChunkStore} in a directory. A chunk is written to a temporary file in the same directory,
 * synced to the disk and then renamed, so that no crash leaves a partial chunk under its name.
 */
final class DirectoryChunkStore implements ChunkStore {
  private static final String BEING_WRITTEN = ".new";

  /** Tenant, project, job and attempt. Members and their chunks are below. */
  private static final int IDS = 4;

  private static final Pattern ID =
      Pattern.compile("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}");

  /** Output may contain secrets: other users of the machine cannot read it. */
  private static final FileAttribute<?> OWN_DIRECTORY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

  private static final FileAttribute<?> OWN_FILE =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

  private final Path root;
  private final PlaceOwner owner;

  DirectoryChunkStore(Path root, PlaceOwner owner) {
    this.root = root;
    this.owner = owner;
  }

  @Override
  public boolean keeps() {
    return true;
  }

  @Override
  public void put(StoreKey key, byte[] bytes) throws IOException {
    Path place = root.resolve(key.path());
    owner.check();
    write(place, bytes);
  }

  static void write(Path place, byte[] bytes) throws IOException {
    Path parent = Objects.requireNonNull(place.getParent());
    Files.createDirectories(parent, OWN_DIRECTORY);
    Path beside = parent.resolve(UUID.randomUUID() + BEING_WRITTEN);
    try {
      try (FileChannel file =
          FileChannel.open(
              beside, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), OWN_FILE)) {
        ByteBuffer left = ByteBuffer.wrap(bytes);
        while (left.hasRemaining()) {
          file.write(left);
        }
        file.force(true);
      }
      Files.move(beside, place, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(beside);
    }
    try (FileChannel directory = FileChannel.open(parent)) {
      directory.force(true);
    }
  }

  @Override
  public InputStream open(StoreKey key) throws IOException {
    try {
      return Files.newInputStream(root.resolve(key.path()));
    } catch (NoSuchFileException none) {
      owner.check(); // without its mount it has no claim
      throw none;
    }
  }

  @Override
  public void remove(List<? extends StoreKey> keys) throws IOException {
    List<Path> places = keys.stream().map(key -> root.resolve(key.path())).toList();
    owner.checkOurs();
    for (Path place : places) {
      remove(place);
    }
  }

  private void remove(Path place) throws IOException {
    Files.deleteIfExists(place);
    for (Path up = place.getParent();
        up != null && !up.equals(root) && removedEmpty(up);
        up = up.getParent()) { // the condition of the query deletes it
    }
  }

  private static boolean removedEmpty(Path directory) throws IOException {
    try {
      return Files.deleteIfExists(directory);
    } catch (DirectoryNotEmptyException used) {
      return false;
    }
  }

  @Override
  public Part old(Instant before, @Nullable String after, int limit) throws IOException {
    owner.checkOurs();
    List<ChunkKey> found = new ArrayList<>();
    collect(root, before, after == null ? List.of() : List.of(after.split("/")), found, limit);
    return new Part(found, found.size() < limit ? null : found.getLast().path());
  }

  /** Walks the directory in the order of names, starting at the given rest of the path. */
  private void collect(
      Path directory, Instant before, List<String> after, List<ChunkKey> found, int limit)
      throws IOException {
    String from = after.isEmpty() ? "" : after.getFirst();
    for (Path entry : entries(directory)) {
      String name = entry.getFileName().toString();
      boolean onTheWay = name.equals(from) && after.size() > 1;
      if (found.size() >= limit) {
        return;
      } else if (ours(entry) && (onTheWay || name.compareTo(from) > 0)) {
        collect(entry, before, onTheWay ? after.subList(1, after.size()) : List.of(), found, limit);
      } else if (name.compareTo(from) > 0 && writtenBefore(before, entry)) {
        found(entry, found);
      }
    }
  }

  /** Other directories, such as {@code lost+found}, are ignored. */
  private boolean ours(Path entry) {
    int depth = root.relativize(entry).getNameCount();
    boolean named =
        depth <= IDS ? ID.matcher(entry.getFileName().toString()).matches() : depth == IDS + 1;
    return named && Files.isDirectory(entry);
  }

  private void found(Path entry, List<ChunkKey> found) throws IOException {
    if (entry.toString().endsWith(BEING_WRITTEN)) {
      Files.deleteIfExists(entry); // of a process that ended
    }
    ChunkKey.at(root.relativize(entry).toString()).ifPresent(found::add);
  }

  private static List<Path> entries(Path directory) throws IOException {
    try (Stream<Path> all = Files.list(directory)) {
      return all.sorted().toList();
    } catch (NoSuchFileException | NotDirectoryException | AccessDeniedException none) {
      return List.of();
    }
  }

  private static boolean writtenBefore(Instant before, Path entry) throws IOException {
    try {
      return Files.getLastModifiedTime(entry).toInstant().isBefore(before);
    } catch (NoSuchFileException gone) {
      return false;
    }
  }

  @Override
  public StoreClaim claim() throws IOException {
    return owner.check();
  }

  @Override
  public void claim(StoreClaim next) throws IOException {
    owner.write(next);
  }

  @Override
  public void probe() throws IOException {
    owner.check();
    Path place = root.resolve("probe-" + UUID.randomUUID());
    write(place, new byte[] {1});
    Files.delete(place);
  }
}
