/** What running attempts say of how they get on, and what their silence means. */
@NullMarked
package dev.fairlead.work.progress;

import org.jspecify.annotations.NullMarked;
