package dev.fairlead.work.workdir.service.spi;

import dev.fairlead.work.log.ChunkStore;
import dev.fairlead.work.log.StoreKey;
import java.io.IOException;
import java.io.InputStream;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;

/**
 * The pieces of an archive one after another. Each piece is opened when the previous one has ended.
 */
final class PiecesStream extends InputStream {
  private final ChunkStore store;
  private final Iterator<StoreKey> left;
  private final Runnable closed;
  private InputStream piece;

  /**
   * @param closed runs at the close
   * @throws IOException if the first piece cannot be opened
   */
  PiecesStream(ChunkStore store, List<StoreKey> pieces, Runnable closed) throws IOException {
    this.store = store;
    this.left = pieces.iterator();
    this.closed = closed;
    this.piece = store.open(left.next());
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, target.length);
    if (length == 0) {
      return 0;
    }
    int read = piece.read(target, offset, length);
    while (read < 0 && left.hasNext()) {
      piece.close();
      piece = store.open(left.next());
      read = piece.read(target, offset, length);
    }
    return read;
  }

  @Override
  public void close() throws IOException {
    closed.run();
    piece.close();
  }
}
