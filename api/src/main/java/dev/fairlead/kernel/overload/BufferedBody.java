package dev.fairlead.kernel.overload;

import dev.fairlead.kernel.body.BodyReader;
import dev.fairlead.kernel.handle.OpenHandles;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * A request with its body in memory, up to the limit for bodies. A slow body then delays only its
 * sender.
 */
final class BufferedBody extends HttpServletRequestWrapper implements AutoCloseable {
  private static final int PIECE = 8192;

  /** 64 MiB for all bodies together: more than the number of connections can fill. */
  private static final int MOST_PIECES = 8192;

  private final byte[] bytes;
  private final Runnable release;

  private BufferedBody(HttpServletRequest request, byte[] bytes, Runnable release) {
    super(request);
    this.bytes = bytes;
    this.release = release;
  }

  /** Memory for all bodies of a process. */
  static OpenHandles room() {
    return new OpenHandles(MOST_PIECES, "pieces of bodies (8 KiB) in memory here");
  }

  static boolean isSent(HttpServletRequest request) {
    return request.getContentLengthLong() > 0 || request.getHeader("Transfer-Encoding") != null;
  }

  /**
   * Reads the body.
   *
   * @param room memory from which each further chunk is granted or refused
   * @param longest maximum time from now until the end of the body
   * @throws Refusal BODY_TOO_LARGE for its announced length, REQUEST_TIMEOUT for a slow body,
   *     MALFORMED_BODY for a broken body, RATE_LIMITED without memory for it
   */
  static BufferedBody read(
      HttpServletRequest request, Supplier<OpenHandles.Handle> room, Duration longest) {
    if (request.getContentLengthLong() > BodyReader.LARGEST) {
      throw BodyReader.tooLarge();
    }
    long end = System.nanoTime() + longest.toNanos();
    Pieces pieces = new Pieces(room);
    try {
      byte[] bytes = bytes(request.getInputStream(), pieces, end, longest);
      return new BufferedBody(request, bytes, pieces.kept());
    } catch (IOException broken) { // the server reports its read timeout as the cause
      throw broken.getCause() instanceof SocketTimeoutException
          ? late(longest)
          : new Refusal(ProblemCode.MALFORMED_BODY, "The body ended early or is not framed.");
    } finally {
      pieces.close();
    }
  }

  private static byte[] bytes(InputStream in, Pieces pieces, long end, Duration longest)
      throws IOException {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    byte[] piece = new byte[PIECE];
    int read = 0;
    while (read >= 0 && body.size() <= BodyReader.LARGEST) {
      pieces.upTo(body.size());
      read = in.read(piece);
      body.write(piece, 0, Math.max(0, read));
      if (System.nanoTime() > end) {
        throw late(longest);
      }
    }
    return body.toByteArray();
  }

  private static Refusal late(Duration longest) {
    return new Refusal(
        ProblemCode.REQUEST_TIMEOUT,
        "The body was not sent within " + longest.toSeconds() + " seconds.");
  }

  /** Memory of a body. Released at the close unless the body retains it. */
  private static final class Pieces implements AutoCloseable {
    private final Supplier<OpenHandles.Handle> room;
    private List<OpenHandles.Handle> taken = new ArrayList<>();

    Pieces(Supplier<OpenHandles.Handle> room) {
      this.room = room;
    }

    void upTo(int bytes) {
      if (bytes >= taken.size() * PIECE) {
        taken.add(room.get());
      }
    }

    /** Releases the memory later. */
    Runnable kept() {
      List<OpenHandles.Handle> held = taken;
      taken = List.of();
      return () -> held.forEach(OpenHandles.Handle::close);
    }

    @Override
    public void close() {
      taken.forEach(OpenHandles.Handle::close);
    }
  }

  @Override
  public ServletInputStream getInputStream() {
    ByteArrayInputStream in = new ByteArrayInputStream(bytes);
    return new ServletInputStream() {
      @Override
      public int read() {
        return in.read();
      }

      @Override
      public int read(byte[] to, int offset, int length) {
        return in.read(to, offset, length);
      }

      @Override
      public boolean isFinished() {
        return in.available() == 0;
      }

      @Override
      public boolean isReady() {
        return true;
      }

      @Override
      public void setReadListener(ReadListener listener) {
        throw new UnsupportedOperationException("it is all there");
      }
    };
  }

  @Override
  public void close() {
    release.run();
  }
}
