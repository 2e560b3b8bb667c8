/** REST endpoints of the installation. */
@NullMarked
package dev.fairlead.kernel.installation.web;

import org.jspecify.annotations.NullMarked;
