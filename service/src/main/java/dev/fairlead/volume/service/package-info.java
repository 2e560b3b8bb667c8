/** Claims, shows and deletes volumes of projects. */
@NullMarked
package dev.fairlead.volume.service;

import org.jspecify.annotations.NullMarked;
