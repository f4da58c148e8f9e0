// The privilege that users need for models and collections.

export const inferencePrivilege = 'accessAndManageAiModelHub';
