package dev.fairlead.kernel.openapi;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.doctree.DocCommentTree;
import com.sun.source.doctree.DocTree;
import com.sun.source.doctree.ParamTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.DocTrees;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePathScanner;
import java.io.IOException;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.lang.reflect.WildcardType;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Javadoc of request and response records, in the form used by the document. {@code make openapi}
 * writes the file.
 */
@Tag("openapi")
class SchemaTextsTest {
  private static final Path ROOT = Path.of(System.getProperty("fairlead.root", ".."));
  private static final Path FILE =
      ROOT.resolve("api/src/main/resources/openapi/javadoc.properties");
  private static final String HEADER =
      "# Javadoc of the records of the API, written by make openapi.\n";

  /** Fails when the document would describe a property by a text that its Javadoc no longer has. */
  @Test
  void descriptionsMatchTheJavadoc() throws IOException {
    String texts = HEADER + written(ofTheApi(javadoc()));
    if (Boolean.getBoolean("fairlead.update")) {
      Files.writeString(FILE, texts);
      Files.writeString(compiled(), texts); // the document of this build reads it
    }
    assertThat(texts).isEqualTo(Files.readString(FILE));
    assertThat(texts).as("tags that only Javadoc resolves").doesNotContain("{@");
  }

  private static Path compiled() {
    return Path.of(
        URI.create(
            Objects.requireNonNull(SchemaTexts.class.getResource("/openapi/javadoc.properties"))
                .toString()));
  }

  private static String written(SortedMap<String, String> texts) {
    return texts.entrySet().stream()
        .map(text -> text.getKey() + "=" + text.getValue().replace("\\", "\\\\") + "\n")
        .collect(Collectors.joining());
  }

  /**
   * Texts of records of controllers, of the views and values that operations return, and of all
   * records that are a part of those.
   */
  private static SortedMap<String, String> ofTheApi(SortedMap<String, String> texts)
      throws IOException {
    SortedSet<String> reached = new TreeSet<>();
    for (String key : texts.keySet()) {
      if (key.contains(".web.") && !key.contains("#")) {
        reach(named(key), reached);
      }
    }
    for (Path source : sources()) {
      if (source.toString().endsWith("Controller.java")) {
        Stream.of(named(className(source)).getDeclaredMethods())
            .filter(method -> (method.getModifiers() & (Modifier.PRIVATE | Modifier.STATIC)) == 0)
            .forEach(method -> reach(method.getGenericReturnType(), reached));
      }
    }
    SortedMap<String, String> ofApi = new TreeMap<>(texts);
    ofApi.keySet().removeIf(key -> !reached.contains(key.replaceAll("#.*", "")));
    return ofApi;
  }

  private static void reach(Type type, SortedSet<String> reached) {
    switch (type) {
      case ParameterizedType generic -> {
        reach(generic.getRawType(), reached);
        Stream.of(generic.getActualTypeArguments()).forEach(each -> reach(each, reached));
      }
      case WildcardType any ->
          Stream.of(any.getUpperBounds()).forEach(each -> reach(each, reached));
      case Class<?> raw when raw.isRecord() && reached.add(raw.getName()) -> {
        for (RecordComponent component : raw.getRecordComponents()) {
          reach(component.getGenericType(), reached);
        }
      }
      default -> {}
    }
  }

  private static String className(Path source) {
    String file = source.toString().replace('/', '.');
    return file.substring(file.lastIndexOf(".java.") + ".java.".length(), file.length() - 5);
  }

  private static Class<?> named(String name) {
    try {
      return Class.forName(name, false, SchemaTextsTest.class.getClassLoader());
    } catch (ClassNotFoundException e) {
      throw new AssertionError(e);
    }
  }

  /** By binary name of the record, with a component after {@code #}. */
  private static SortedMap<String, String> javadoc() throws IOException {
    SortedMap<String, String> texts = new TreeMap<>();
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      JavacTask task =
          (JavacTask)
              compiler.getTask(
                  null,
                  files,
                  null,
                  List.of("-proc:none"),
                  null,
                  files.getJavaFileObjectsFromPaths(sources()));
      DocTrees docs = DocTrees.instance(task);
      for (CompilationUnitTree unit : task.parse()) {
        new Records(docs, texts).scan(unit, unit.getPackageName().toString());
      }
    }
    return texts;
  }

  private static List<Path> sources() throws IOException {
    SortedSet<Path> sources = new TreeSet<>();
    for (String module : List.of("domain", "service", "api")) {
      try (Stream<Path> all = Files.walk(ROOT.resolve(module).resolve("src/main/java"))) {
        all.filter(path -> path.toString().endsWith(".java"))
            .filter(path -> !path.endsWith("package-info.java"))
            .forEach(sources::add);
      }
    }
    return List.copyOf(sources);
  }

  /** Visits records; the value passed down is the binary name of the enclosing type. */
  private static final class Records extends TreePathScanner<@Nullable Void, String> {
    private final DocTrees docs;
    private final Map<String, String> texts;

    Records(DocTrees docs, Map<String, String> texts) {
      this.docs = docs;
      this.texts = texts;
    }

    @Override
    public @Nullable Void visitClass(ClassTree type, String around) {
      boolean nested = getCurrentPath().getParentPath().getLeaf() instanceof ClassTree;
      String name = around + (nested ? "$" : ".") + type.getSimpleName();
      DocCommentTree doc = docs.getDocCommentTree(getCurrentPath());
      if (type.getKind() == Tree.Kind.RECORD && doc != null) {
        put(name, doc.getFullBody());
        for (DocTree tag : doc.getBlockTags()) {
          if (tag instanceof ParamTree param && !param.isTypeParameter()) {
            put(name + "#" + param.getName(), param.getDescription());
          }
        }
      }
      return super.visitClass(type, name);
    }

    private void put(String key, List<? extends DocTree> text) {
      String plain =
          text.stream()
              .map(DocTree::toString)
              .collect(Collectors.joining())
              .replaceAll("\\{@code\\s+([^}]*)}", "$1")
              .replaceAll("\\{@link(?:plain)?\\s+[^} ]+\\s+([^}]+)}", "$1")
              .replaceAll("\\{@link(?:plain)?\\s+(?:[^}#]*[.#])?([^}]+)}", "$1")
              .replaceAll("<[^>]*>", " ")
              .replaceAll("\\s+", " ")
              .strip();
      if (!plain.isEmpty()) {
        String sentence = Character.toUpperCase(plain.charAt(0)) + plain.substring(1);
        texts.put(key, sentence.matches(".*[.!?]") ? sentence : sentence + ".");
      }
    }
  }
}
