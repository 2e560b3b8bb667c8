/** REST endpoints of volumes. */
@NullMarked
package dev.fairlead.data.volume.web;

import org.jspecify.annotations.NullMarked;
