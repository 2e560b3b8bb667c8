package dev.fairlead.work.log.chunk;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.DeleteObjectsResponse;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Response;
import software.amazon.awssdk.services.s3.model.NoSuchKeyException;
import software.amazon.awssdk.services.s3.model.ObjectIdentifier;
import software.amazon.awssdk.services.s3.model.S3Error;
import software.amazon.awssdk.services.s3.model.S3Exception;
import software.amazon.awssdk.services.s3.model.S3Object;

/** The objects of a bucket whose keys begin with a prefix. Names are keys without it. */
final class S3Bucket implements StoreLocation {
  private static final int RANGE_NOT_SATISFIABLE = 416;
  private final S3Client client;
  private final String bucket;
  private final String prefix;

  /**
   * @param prefix empty, or ends with a slash
   */
  S3Bucket(S3Client client, String bucket, String prefix) {
    this.client = client;
    this.bucket = bucket;
    this.prefix = prefix;
  }

  /**
   * One page of objects in the order of their keys.
   *
   * @param next name after which the next page starts, null at the end
   */
  record Page(List<S3Object> objects, @Nullable String next) {}

  void put(String name, byte[] bytes) throws IOException {
    call(
        name,
        () ->
            client.putObject(
                request -> request.bucket(bucket).key(prefix + name),
                RequestBody.fromBytes(bytes)));
  }

  /**
   * @return at most {@code most} bytes from the offset, none beyond the end
   * @throws NoSuchFileException if the object does not exist
   */
  byte[] read(String name, long from, int most) throws IOException {
    return call(
        name,
        () -> {
          try {
            return client
                .getObjectAsBytes(request ->
                    request
                        .bucket(bucket)
                        .key(prefix + name)
                        .range("bytes=" + from + "-" + (from + most - 1)))
                .asByteArrayUnsafe();
          } catch (S3Exception refused) {
            if (refused.statusCode() == RANGE_NOT_SATISFIABLE) {
              return new byte[0];
            }
            throw refused;
          }
        });
  }

  /**
   * Deletes objects in one request.
   *
   * @param names at most 1,000
   * @throws IOException if an object was not deleted, with the reason of the first
   */
  void remove(List<String> names) throws IOException {
    if (names.isEmpty()) {
      return;
    }
    List<ObjectIdentifier> keys =
        names.stream().map(name -> ObjectIdentifier.builder().key(prefix + name).build()).toList();
    DeleteObjectsResponse answer =
        call(
            names.getFirst(),
            () ->
                client.deleteObjects(request ->
                    request.bucket(bucket).delete(delete -> delete.objects(keys).quiet(true))));
    if (!answer.errors().isEmpty()) {
      S3Error first = answer.errors().getFirst();
      throw new IOException(
          "s3://" + bucket + "/" + first.key() + ": " + first.code() + ": " + first.message());
    }
  }

  Page list(@Nullable String after, int limit) throws IOException {
    ListObjectsV2Response page =
        call(
            "",
            () ->
                client.listObjectsV2(request ->
                    request
                        .bucket(bucket)
                        .prefix(prefix)
                        .startAfter(after == null ? null : prefix + after)
                        .maxKeys(limit)));
    List<S3Object> objects = page.contents();
    boolean more = Boolean.TRUE.equals(page.isTruncated()) && !objects.isEmpty();
    return new Page(objects, more ? name(objects.getLast()) : null);
  }

  String name(S3Object object) {
    return object.key().substring(prefix.length());
  }

  private <T> T call(String name, Supplier<T> work) throws IOException {
    try {
      return work.get();
    } catch (NoSuchKeyException none) {
      throw new NoSuchFileException(uri(name));
    } catch (SdkException failed) {
      throw new IOException(uri(name) + ": " + failed.getMessage(), failed);
    }
  }

  private String uri(String name) {
    return "s3://" + bucket + "/" + prefix + name;
  }

  @Override
  public String claimName() {
    return uri(PlaceOwner.CLAIM);
  }

  @Override
  public String question() {
    return "are these the right bucket and prefix?";
  }

  @Override
  public String claim() throws IOException {
    try {
      byte[] claim = read(PlaceOwner.CLAIM, 0, BoundedChunkStore.BLOCK);
      return new String(claim, StandardCharsets.UTF_8).strip();
    } catch (NoSuchFileException none) {
      return "";
    }
  }

  @Override
  public void claim(String text) throws IOException {
    put(PlaceOwner.CLAIM, (text + "\n").getBytes(StandardCharsets.UTF_8));
  }

  @Override
  public boolean empty() throws IOException {
    return list(null, 1).objects().isEmpty();
  }
}
