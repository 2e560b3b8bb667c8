package dev.fairlead.kernel.overload;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.IOException;

/**
 * The response to a request that holds a place. It releases the permit when writing begins: the
 * database read has then ended, so a slow reader or a stream does not block other requests. After
 * that, the response counts as unread.
 */
final class RequestPermit extends HttpServletResponseWrapper implements AutoCloseable {
  private final Places.Held place;
  private final UnreadAnswers.Answer answer;

  RequestPermit(HttpServletResponse response, Places.Held place, UnreadAnswers.Answer answer) {
    super(response);
    this.place = place;
    this.answer = answer;
  }

  @Override
  public ServletOutputStream getOutputStream() throws IOException {
    place.close();
    return new Counted(super.getOutputStream(), answer);
  }

  @Override
  public void close() {
    place.close();
    answer.close();
  }

  private static final class Counted extends ServletOutputStream {
    private final ServletOutputStream out;
    private final UnreadAnswers.Answer answer;

    Counted(ServletOutputStream out, UnreadAnswers.Answer answer) {
      this.out = out;
      this.answer = answer;
    }

    @Override
    public void write(int one) throws IOException {
      answer.writes(1);
      out.write(one);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      answer.writes(length);
      out.write(bytes, offset, length);
    }

    @Override
    public void flush() throws IOException {
      out.flush();
    }

    @Override
    public void close() throws IOException {
      out.close();
    }

    @Override
    public boolean isReady() {
      return out.isReady();
    }

    @Override
    public void setWriteListener(WriteListener listener) {
      out.setWriteListener(listener);
    }
  }
}
