package dev.fairlead.kernel.overload;

import jakarta.servlet.ServletInputStream;
import java.io.InputStream;
import java.util.concurrent.CountDownLatch;
import org.springframework.mock.web.MockHttpServletRequest;

/** Request bodies that end when a test permits it. */
final class HeldBodies {
  private HeldBodies() {}

  /** A body of the maximum size, whose end is sent when the test permits it. */
  static InputStream endless(CountDownLatch given, CountDownLatch more) {
    return new InputStream() {
      private int left = (1 << 20) - 1;

      @Override
      public int read() {
        throw new UnsupportedOperationException("it is read by pieces");
      }

      @Override
      public int read(byte[] to, int offset, int length) {
        if (left == 0) {
          given.countDown();
          HeldBodies.await(more);
          return -1;
        }
        int read = Math.min(left, length);
        left -= read;
        return read;
      }
    };
  }

  /** Reports when its body is read, and returns the body when the test permits it. */
  static final class SlowBody extends MockHttpServletRequest {
    private final CountDownLatch reading;
    private final CountDownLatch more;

    SlowBody(CountDownLatch reading, CountDownLatch more) {
      super("POST", "/api/v1/clusters");
      setContent(new byte[] {1});
      this.reading = reading;
      this.more = more;
    }

    @Override
    public ServletInputStream getInputStream() {
      reading.countDown();
      HeldBodies.await(more);
      return super.getInputStream();
    }
  }

  static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
