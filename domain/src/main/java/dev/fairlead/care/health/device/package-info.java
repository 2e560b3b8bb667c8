/** GPUs by serial number, and what was observed of them. */
@NullMarked
package dev.fairlead.care.health.device;

import org.jspecify.annotations.NullMarked;
