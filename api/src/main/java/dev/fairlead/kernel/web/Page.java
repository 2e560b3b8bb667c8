package dev.fairlead.kernel.web;

import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;
import org.springframework.web.servlet.support.ServletUriComponentsBuilder;

/**
 * A page of a list.
 *
 * @param nextPageToken value of {@code pageToken} for the next page, null on the last page
 */
public record Page<T>(List<T> items, @Nullable String nextPageToken) {
  /** Default number of items of a page. */
  public static final String SIZE = "50";

  public static final int MOST = 500;

  /** A list that fits on one page. */
  public static <T> Page<T> whole(List<T> items) {
    return new Page<>(items, null);
  }

  /** The page with another form of its items. */
  public <R> Page<R> map(Function<T, R> form) {
    return new Page<>(items.stream().map(form).toList(), nextPageToken);
  }

  /**
   * Returns the page as a response, with a {@code Link} to the next one. Valid only while the
   * request is served.
   */
  public ResponseEntity<Page<T>> answer() {
    if (nextPageToken == null) {
      return ResponseEntity.ok(this);
    }
    String next =
        ServletUriComponentsBuilder.fromCurrentRequest()
            .replaceQueryParam("pageToken", nextPageToken)
            .scheme(null)
            .host(null)
            .port(null)
            .build()
            .toUriString();
    return ResponseEntity.ok().header(HttpHeaders.LINK, "<" + next + ">; rel=\"next\"").body(this);
  }
}
