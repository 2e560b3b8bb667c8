/** Copies volumes to other clusters, and imports buckets into volumes. */
@NullMarked
package dev.fairlead.data.transfer.service;

import org.jspecify.annotations.NullMarked;
