package dev.fairlead.e2e;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.CookieManager;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The browser of {@link TestIssuer#USER}: stores cookies, follows redirects, signs in on request,
 * and accepts or refuses consent.
 */
final class Browser {
  private static final Pattern FORM = Pattern.compile("<form([^>]*)>(.*?)</form>", Pattern.DOTALL);
  private static final Pattern INPUT = Pattern.compile("<input([^>]*)>");
  private static final Pattern ATTRIBUTE = Pattern.compile("([a-z]+)=\"([^\"]*)\"");
  private static final int MOST_FORMS = 4;
  private final boolean agrees;
  private final HttpClient client =
      HttpClient.newBuilder()
          .cookieHandler(new CookieManager())
          .followRedirects(HttpClient.Redirect.NORMAL)
          .build();

  Browser(boolean agrees) {
    this.agrees = agrees;
  }

  /** The last page, after all intermediate forms are submitted. */
  HttpResponse<String> open(String address) {
    HttpResponse<String> page = send(request(URI.create(address)).GET());
    for (int forms = 0; forms < MOST_FORMS; forms++) {
      Matcher form = FORM.matcher(page.body());
      if (!form.find()) {
        return page;
      }
      URI action = page.uri().resolve(attributes(form.group(1)).getOrDefault("action", ""));
      page =
          send(
              request(action)
                  .header("Content-Type", "application/x-www-form-urlencoded")
                  .POST(HttpRequest.BodyPublishers.ofString(filled(form.group(2)))));
    }
    throw new IllegalStateException("one more form: " + page.body());
  }

  private static HttpRequest.Builder request(URI address) {
    return HttpRequest.newBuilder(address)
        .timeout(Duration.ofSeconds(30))
        .header("Accept", "text/html");
  }

  private String filled(String form) {
    List<String> fields = new ArrayList<>();
    Matcher inputs = INPUT.matcher(form);
    while (inputs.find()) {
      Map<String, String> input = attributes(inputs.group(1));
      String name = input.getOrDefault("name", "");
      if (!name.isEmpty() && (agrees || !name.equals("scope"))) {
        String value =
            switch (name) {
              case "username" -> TestIssuer.USER;
              case "password" -> TestIssuer.PASSWORD;
              default -> input.getOrDefault("value", "");
            };
        fields.add(name + "=" + URLEncoder.encode(value, StandardCharsets.UTF_8));
      }
    }
    return String.join("&", fields);
  }

  private static Map<String, String> attributes(String tag) {
    Map<String, String> found = new TreeMap<>();
    Matcher attributes = ATTRIBUTE.matcher(tag);
    while (attributes.find()) {
      found.put(attributes.group(1), attributes.group(2));
    }
    return found;
  }

  private HttpResponse<String> send(HttpRequest.Builder request) {
    try {
      return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }
}
