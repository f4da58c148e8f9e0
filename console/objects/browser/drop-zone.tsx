// Accepts files dropped anywhere on the page, and shows the target while the user drags them.
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { perform } from '../../components/toast.tsx';
import { visible } from '../keys.ts';
import { droppedFiles, type PickedFile } from '../transfer/dropped-files.ts';

export interface DropZoneProps {
  target: string; // of the upload
  onFiles(files: PickedFile[]): void;
  children: ComponentChildren;
}

export function DropZone({ target, onFiles, children }: DropZoneProps) {
  const isOver = useSignal(false);
  const take = useRef(onFiles);
  take.current = onFiles;
  useLayoutEffect(() => {
    const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') === true;
    const over = (event: DragEvent): void => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      isOver.value = true;
    };
    const leave = (event: DragEvent): void => {
      if (event.relatedTarget === null) isOver.value = false; // the pointer left the window
    };
    const drop = (event: DragEvent): void => {
      isOver.value = false;
      if (!hasFiles(event) || !event.dataTransfer) return;
      event.preventDefault();
      const files = droppedFiles(event.dataTransfer);
      perform(async () => take.current(await files));
    };
    addEventListener('dragover', over);
    addEventListener('dragleave', leave);
    addEventListener('drop', drop);
    return () => {
      removeEventListener('dragover', over);
      removeEventListener('dragleave', leave);
      removeEventListener('drop', drop);
    };
  }, []);
  return (
    <>
      {children}
      {isOver.value && (
        <div class="ob-drop" aria-hidden="true">
          <p>
            Drop to upload into <strong class="ob-key">{visible(target)}</strong>
          </p>
        </div>
      )}
    </>
  );
}
