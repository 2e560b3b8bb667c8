/** Removes old rows from the hot tables. */
@NullMarked
package dev.fairlead.kernel.retention.service;

import org.jspecify.annotations.NullMarked;
