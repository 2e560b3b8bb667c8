/** Copies of volumes to other clusters, and imports of buckets into volumes. */
@NullMarked
package dev.fairlead.data.transfer;

import org.jspecify.annotations.NullMarked;
