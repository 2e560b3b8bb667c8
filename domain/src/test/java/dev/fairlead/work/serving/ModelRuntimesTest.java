package dev.fairlead.work.serving;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.kernel.problem.FieldProblem;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ModelRuntimesTest {
  private static final String OWN =
      "name: own\ndescription: d\nmetric: RPS\nrun: [serve]\nreadyPath: /ok\nmodels: {hf: ['${model}']}\n";

  @AfterEach
  void shippedOnly() {
    ModelRuntimes.extend(new TreeMap<>());
  }

  private static RuntimeFill.Filled fill(String runtime, String uri, Map<String, Object> service) {
    return RuntimeFill.of(
        ModelRuntimes.find(runtime).orElseThrow(),
        "chat",
        uri == null || uri.isBlank() ? null : ModelUri.parse(uri).orElseThrow(),
        null,
        service);
  }

  private static List<String> refusals(RuntimeFill.Filled filled) {
    return filled.problems().stream()
        .map(problem -> problem.pointer() + ": " + problem.detail())
        .toList();
  }

  /** One line for each field that the runtime fills. */
  private static String rendered(RuntimeFill.Filled filled) {
    assertThat(filled.problems()).isEmpty();
    SortedMap<String, Object> all = new TreeMap<>(filled.service());
    Object job = all.remove("job");
    ((Map<?, ?>) job).forEach((name, value) -> all.put("job." + name, value));
    return all.entrySet().stream()
        .map(each -> each.getKey() + "=" + each.getValue())
        .collect(Collectors.joining("\n"));
  }

  @Test
  void vllmServesAModelOfTheHub() {
    assertThat(rendered(fill("vllm", "hf://Qwen/Qwen3-8B", Map.of())))
        .isEqualTo(
            """
            job.image=vllm/vllm-openai:v0.30.0
            job.run=[vllm, serve, Qwen/Qwen3-8B, --host, 0.0.0.0, --port, 8000, --served-model-name, chat]
            port=8000
            readyPath=/health\
            """);
  }

  @Test
  void vllmStreamsAModelFromS3() {
    assertThat(rendered(fill("vllm", "s3://models/chat/7", Map.of())))
        .contains("[vllm, serve, s3://models/chat/7, --load-format, runai_streamer, --host");
  }

  @Test
  void sglangServesAModelOfTheHubOnThePortOfTheService() {
    assertThat(rendered(fill("sglang", "hf://Qwen/Qwen3-8B", Map.of("port", 9000))))
        .isEqualTo(
            """
            job.image=lmsysorg/sglang:v0.5.17
            job.run=[python3, -m, sglang.launch_server, --model-path, Qwen/Qwen3-8B, --host, 0.0.0.0, --port, 9000, --served-model-name, chat, --enable-metrics]
            port=9000
            readyPath=/health\
            """);
  }

  @Test
  void tensorRtLlmServesAModelOfTheHubUnderTheNameOfTheService() {
    assertThat(rendered(fill("tensorrt-llm", "hf://Qwen/Qwen3-8B", Map.of())))
        .isEqualTo(
            """
            job.image=nvcr.io/nvidia/tensorrt-llm/release:1.3.0rc29
            job.run=[trtllm-serve, serve, Qwen/Qwen3-8B, --host, 0.0.0.0, --port, 8000, --served_model_name, chat]
            port=8000
            readyPath=/health\
            """);
  }

  @Test
  void llamaServesAFileOfAVolume() {
    assertThat(rendered(fill("llama-cpp", "volume://weights/chat/q4.gguf", Map.of())))
        .isEqualTo(
            """
            job.image=ghcr.io/ggml-org/llama.cpp:server-cuda-b11243
            job.run=[/app/llama-server, --model, /models/chat/q4.gguf, --host, 0.0.0.0, --port, 8080, --alias, chat, --metrics]
            job.volumes=[{mountPath=/models, readOnly=true, volume=weights}]
            port=8080
            readyPath=/health\
            """);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "hf://ggml-org/gemma-3-270m-GGUF:Q4_K_M     | --hf-repo, ggml-org/gemma-3-270m-GGUF:Q4_K_M,",
        "https://models.example.com/chat.gguf?v=7   | --model-url, https://models.example.com/chat.gguf?v=7,"
      })
  void llamaDownloadsAModel(String uri, String words) {
    assertThat(rendered(fill("llama-cpp", uri, Map.of()))).contains(words);
  }

  @Test
  void tritonServesARepository() {
    assertThat(rendered(fill("triton", "s3://models/vision", Map.of())))
        .isEqualTo(
            """
            job.image=nvcr.io/nvidia/tritonserver:25.04-py3
            job.run=[tritonserver, --model-repository=s3://models/vision, --http-port=8000]
            port=8000
            readyPath=/v2/health/ready\
            """);
  }

  @Test
  void mlserverServesADirectoryOfAVolume() {
    assertThat(rendered(fill("mlserver", "volume://weights/iris", Map.of("port", 8090))))
        .isEqualTo(
            """
            job.env={MLSERVER_HOST=0.0.0.0, MLSERVER_HTTP_PORT=8090}
            job.image=seldonio/mlserver:1.7.1
            job.run=[mlserver, start, /models/iris]
            job.volumes=[{mountPath=/models, readOnly=true, volume=weights}]
            port=8090
            readyPath=/v2/health/ready\
            """);
  }

  @Test
  void tensorflowServingIsReadyWhenItsModelHasAStatus() {
    assertThat(rendered(fill("tensorflow-serving", "volume://weights", Map.of())))
        .isEqualTo(
            """
            job.image=tensorflow/serving:2.18.0
            job.run=[tensorflow_model_server, --model_base_path=/models, --rest_api_port=8501, --model_name=chat]
            job.volumes=[{mountPath=/models, readOnly=true, volume=weights}]
            port=8501
            readyPath=/v1/models/chat\
            """);
  }

  @Test
  void aCustomServerReadsItsModelFromVariables() {
    Map<String, Object> service =
        Map.of("readyPath", "/ok", "job", Map.of("image", "own:1", "run", "serve"));

    assertThat(rendered(fill("custom", "hf://Qwen/Qwen3-8B", service)))
        .isEqualTo(
            """
            job.env={MODEL=Qwen/Qwen3-8B, PORT=8080}
            job.image=own:1
            job.run=serve
            port=8080
            readyPath=/ok\
            """);
  }

  /** Fails when a field of the user is replaced by the runtime. */
  @Test
  void fieldsOfTheServiceOverrideTheRuntime() {
    Map<String, Object> job =
        Map.of(
            "image", "own:1",
            "args", List.of("--max-model-len", "8192"),
            "env", Map.of("A", "b"),
            "volumes", List.of(new TreeMap<>(Map.of("volume", "cache", "mountPath", "/cache"))));
    Map<String, Object> service =
        Map.of("readyPath", "/ready", "port", 80, "job", job, "scale", Map.of("target", 8));

    assertThat(rendered(fill("vllm", "volume://weights/chat", service)))
        .isEqualTo(
            """
            job.env={A=b}
            job.image=own:1
            job.run=[vllm, serve, /models/chat, --host, 0.0.0.0, --port, 80, --served-model-name, chat, --max-model-len, 8192]
            job.volumes=[{mountPath=/models, readOnly=true, volume=weights}, {mountPath=/cache, volume=cache}]
            port=80
            readyPath=/ready
            scale={metric=CONCURRENCY, target=8}\
            """);
    assertThat(
            fill("vllm", "hf://a/b", Map.of("scale", Map.of("metric", "RPS")))
                .service()
                .get("scale"))
        .isEqualTo(Map.of("metric", "RPS"));
  }

  @Test
  void invalidVolumesArePassedToTheJobReader() {
    RuntimeFill.Filled filled =
        fill("vllm", "volume://weights/chat", Map.of("job", Map.of("volumes", "cache")));

    assertThat(filled.service().get("job").toString()).contains("volumes=cache");
  }

  @Test
  void aServiceCannotSetWhatItsRuntimeReserves() {
    Map<String, Object> job =
        Map.of("args", List.of("--port=9000", "--host", "::"), "command", List.of("sh"));

    assertThat(refusals(fill("vllm", "hf://a/b", Map.of("job", job))))
        .containsExactly(
            "/job/command: runtime vllm sets the program: put further options into args, or use runtime custom",
            "/job/args: runtime vllm sets --port=9000 from port, model and the name of the service: leave it out",
            "/job/args: runtime vllm sets --host from port, model and the name of the service: leave it out");
    assertThat(
            refusals(
                fill(
                    "mlserver",
                    "volume://a",
                    Map.of("job", Map.of("env", Map.of("MLSERVER_HTTP_PORT", "1"))))))
        .singleElement()
        .asString()
        .startsWith("/job/env: runtime mlserver sets MLSERVER_HTTP_PORT");
  }

  /** Fails when a server serves a different model name than the gate lists. */
  @ParameterizedTest
  @CsvSource({
    "vllm, --served-model-name=gpt",
    "vllm, --served_model_name",
    "sglang, --served-model-name",
    "llama-cpp, --alias",
    "llama-cpp, -a"
  })
  void aServerWithTheApiOfOpenAiHasTheNameOfItsService(String runtime, String word) {
    assertThat(refusals(fill(runtime, "hf://a/b", Map.of("job", Map.of("args", List.of(word))))))
        .singleElement()
        .asString()
        .startsWith("/job/args: runtime %s sets %s from".formatted(runtime, word));
    assertThat(ModelRuntimes.find(runtime).orElseThrow().openAi()).isTrue();
    assertThat(ModelRuntimes.find("tensorflow-serving").orElseThrow().openAi()).isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "mlserver | hf://a/b    | {}          | /model/uri: runtime mlserver cannot read hf:// and reads oci, volume: copy the model to a volume and write volume://models/chat",
        "vllm     |             | {}          | /model: model is missing: runtime vllm needs the address of a model, such as uri: hf://Qwen/Qwen3-8B",
        "custom   | hf://a/b    | {}          | /readyPath: readyPath is missing: runtime custom has none",
        "vllm     | hf://a/b    | roles       | /job/roles: runtime vllm fills a job without roles",
        "vllm     | hf://a/b    | args        | /job/args: args must be a list of strings"
      })
  void aServiceThatItsRuntimeCannotServeIsRefused(
      String runtime, String uri, String field, String problem) {
    Map<String, Object> job = field.equals("{}") ? Map.of() : Map.of(field, 7);

    assertThat(refusals(fill(runtime, uri, Map.of("job", job))))
        .singleElement()
        .asString()
        .startsWith(problem);
  }

  @Test
  void aFormatOfAnotherRuntimeNamesThatRuntime() {
    RuntimeFill.Filled filled =
        RuntimeFill.of(
            ModelRuntimes.find("vllm").orElseThrow(),
            "chat",
            ModelUri.parse("hf://a/b").orElseThrow(),
            "gguf",
            Map.of());

    assertThat(filled.problems())
        .singleElement()
        .extracting(FieldProblem::detail)
        .satisfies(reason("model-runtimes.runtime-vllm-reads-huggingface"));
  }

  private static Map<String, Object> volumeAt(String path) {
    return Map.of("job", Map.of("volumes", List.of(Map.of("volume", "data", "mountPath", path))));
  }

  /**
   * Fails when a server gets a different directory than the one at which a pod mounts the image.
   */
  @Test
  void aModelInAnImageIsReadFromItsMount() {
    ModelUri uri =
        ModelUri.parse("oci://registry.example.com:5000/nlp/chat@sha256:" + "a".repeat(64))
            .orElseThrow();
    assertThat(uri.image()).contains("registry.example.com:5000/nlp/chat@sha256:" + "a".repeat(64));
    assertThat(rendered(fill("vllm", "oci://registry.example.com/nlp/chat:2", Map.of())))
        .contains("vllm, serve, /models");
    assertThat(refusals(fill("tensorrt-llm", "oci://registry.example.com/chat:2", Map.of())))
        .isEmpty();
    assertThat(refusals(fill("vllm", "oci://registry.example.com/chat:2", volumeAt("/models/a"))))
        .singleElement()
        .asString()
        .startsWith("/job/volumes: the image");
    assertThat(refusals(fill("vllm", "oci://registry.example.com/chat:2", volumeAt("/models2"))))
        .isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "hf://model",
    "hf://-a/b",
    "hf://a/b c",
    "gs://bucket/x",
    "oci://chat:1",
    "oci://registry/Models/chat",
    "oci://user@registry/chat",
    "https://user:word@host/x",
    "https://host",
    "s3://b/../c",
    "volume://Data",
    "volume://a/../b",
    "volume://a/-x",
    "/models"
  })
  void otherAddressesAreNotModels(String uri) {
    assertThat(ModelUri.parse(uri)).isEmpty();
  }

  /** Fails when the examples of messages are refused themselves. */
  @Test
  void everySchemeHasAnExampleThatItAccepts() {
    assertThat(ModelUri.SCHEMES)
        .allMatch(scheme -> ModelUri.parse(ModelUri.example(scheme)).isPresent());
  }

  /** Fails when a new runtime needs more than its file. */
  @Test
  void anOperatorAddsARuntimeByAFile() {
    ModelRuntimes.extend(new TreeMap<>(Map.of("own.yaml", OWN)));

    assertThat(rendered(fill("own", "hf://a/b", Map.of())))
        .isEqualTo("job.run=[serve, a/b]\nport=8080\nreadyPath=/ok");
    assertThat(ModelRuntimes.all())
        .extracting(ModelRuntime::name)
        .containsExactly(
            "custom",
            "llama-cpp",
            "mlserver",
            "own",
            "sglang",
            "tensorflow-serving",
            "tensorrt-llm",
            "triton",
            "vllm");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "privileged: true              | privileged is not a field of a runtime. The fields are api, args, description, env",
        "hostNetwork: true             | hostNetwork is not a field of a runtime",
        "env: {LD_PRELOAD: x}          | env.LD_PRELOAD is a platform variable that a runtime cannot set",
        "args: ['${secret}']           | args has the unknown expression ${secret}",
        "env: {A: '${user}'}           | env.A has the unknown expression ${user}",
        "api: GRPC                     | api must be OPENAI",
        "port: 0                       | port must be a number from 1 to 65535, not 0",
        "metrics: {queue: x}           | metrics.queue is unknown: the entries are path, port, running, waiting",
        "formats: gguf                 | formats must be a list of texts"
      })
  void aWrongFieldOfAFileIsRefused(String line, String problem) {
    refused(OWN + line + "\n", problem);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "readyPath: /ok                | ''                  | readyPath is missing: a server opens its port before its model is loaded",
        "readyPath: /ok                | 'readyPath: ok'     | readyPath must be a path such as /health",
        "metric: RPS                   | 'metric: CPU'       | metric must be one of [RPS, CONCURRENCY, QUEUE, KV_CACHE, LATENCY]",
        "models: {hf: ['${model}']}    | 'models: {gs: []}'  | models.gs is no scheme: the schemes are hf, https, oci, s3, volume",
        "models: {hf: ['${model}']}    | ''                  | models must have the arguments for at least one scheme",
        "run: [serve]                  | 'args: [-x]'        | args needs run: the service sets the program"
      })
  void aFileWithoutARequiredFieldIsRefused(String line, String other, String problem) {
    refused(OWN.replace(line, other), problem);
  }

  private static void refused(String yaml, String problem) {
    assertThatThrownBy(() -> ModelRuntimes.extend(new TreeMap<>(Map.of("own.yaml", yaml))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("own.yaml: ")
        .hasMessageContaining(problem);
  }
}
