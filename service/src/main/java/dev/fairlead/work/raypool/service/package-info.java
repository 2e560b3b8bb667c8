/** Ray clusters of pools, and the drivers inside them. */
@NullMarked
package dev.fairlead.work.raypool.service;

import org.jspecify.annotations.NullMarked;
