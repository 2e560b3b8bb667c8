package dev.fairlead.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.launcher.ScriptedApi.Answer;
import java.io.UncheckedIOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FairleadApiTest {
  @Test
  void aListIsReadPageByPage() throws Exception {
    try (ScriptedApi server =
            new ScriptedApi(request ->
                Answer.ok(
                    request.contains("pageToken=a%2Bb")
                        ? "{\"items\":[3],\"nextPageToken\":null}"
                        : "{\"items\":[1,2],\"nextPageToken\":\"a+b\"}"));
        FairleadApi api = server.client()) {
      List<Integer> items = new ArrayList<>();
      api.each("/jobs?state=QUEUED", item -> items.add(item.asInt()));
      assertThat(items).containsExactly(1, 2, 3);
      assertThat(server.requests)
          .containsExactly(
              "GET /api/v1/jobs?state=QUEUED", "GET /api/v1/jobs?state=QUEUED&pageToken=a%2Bb");
    }
  }

  /** Fails when jobs behind the first page count as started. */
  @Test
  void aListIsEmptyIfItsLastPageIs() throws Exception {
    try (ScriptedApi server =
            new ScriptedApi(request ->
                Answer.ok(
                    request.contains("pageToken=behind")
                        ? request.contains("STARTING") ? "{\"items\":[1]}" : "{\"items\":[]}"
                        : "{\"items\":[],\"nextPageToken\":\"behind\"}"));
        FairleadApi api = server.client()) {
      assertThat(api.isEmpty("/jobs?state=STARTING")).isFalse();
      assertThat(api.isEmpty("/jobs?state=ADMITTED")).isTrue();
    }
  }

  @Test
  void problemDocumentBecomesARejectionThatNamesTheFields() throws Exception {
    String problem =
        "{\"code\":\"INVALID_FIELD\",\"detail\":\"The job is not valid.\","
            + "\"errors\":[{\"pointer\":\"/workers\",\"detail\":\"at least 1\"}]}";
    try (ScriptedApi server = new ScriptedApi(request -> new Answer(422, problem));
        FairleadApi api = server.client()) {
      assertThatThrownBy(() -> api.postYaml("/projects/default/jobs", "workers: 0"))
          .isInstanceOf(ApiRefusal.class)
          .hasMessage("422 INVALID_FIELD: The job is not valid. [/workers at least 1]");
    }
  }

  @Test
  void missingServiceIsNamed() throws Exception {
    URI nobody;
    try (ScriptedApi server = new ScriptedApi(request -> Answer.ok(""))) {
      nobody = server.client().address();
    }
    try (FairleadApi api = new FairleadApi(nobody, null)) {
      assertThatThrownBy(() -> api.get("/jobs"))
          .isInstanceOf(UncheckedIOException.class)
          .hasMessageContaining(nobody + " cannot be reached");
    }
  }
}
