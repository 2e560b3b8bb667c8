package dev.fairlead.work.log.chunk;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.stream.Stream;

record DirectoryPlace(Path root) implements StoreLocation {
  @Override
  public String claimName() {
    return root.resolve(PlaceOwner.CLAIM).toString();
  }

  @Override
  public String question() {
    return "is the directory mounted?";
  }

  @Override
  public String claim() throws IOException {
    try {
      return Files.readString(root.resolve(PlaceOwner.CLAIM)).strip();
    } catch (NoSuchFileException none) {
      return "";
    }
  }

  @Override
  public void claim(String text) throws IOException {
    DirectoryChunkStore.write(
        root.resolve(PlaceOwner.CLAIM), (text + "\n").getBytes(StandardCharsets.UTF_8));
  }

  /** Ignores entries that file systems create. */
  @Override
  public boolean empty() throws IOException {
    try (Stream<Path> entries = Files.list(root)) {
      return entries
          .map(entry -> entry.getFileName().toString())
          .allMatch(name -> name.startsWith(".") || name.equals("lost+found"));
    } catch (NoSuchFileException none) {
      return true;
    }
  }
}
